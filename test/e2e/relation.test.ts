import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import { prompt, sql } from '../../client/index.js';
import { openProject, type Project } from '../support/project.js';

/** Relations through the real stack; only the endpoint is a fake. */

let project: Project;
let fermata: Fermata;

beforeAll(async () => {
  project = await openProject({
    endpoint: {
      answer: ({ prompt: text, system }) => {
        if (system.includes('plot')) return JSON.stringify({ answer: text.includes('story') ? 'plot' : 'sound' });
        if (text.includes('Which day')) return JSON.stringify({ answer: '2024-02-29' });
        if (text.includes('How many')) return JSON.stringify({ answer: Number(/(?<=of )\d/.exec(text)?.[0]) });
        return JSON.stringify({ answer: text.includes("it's {bad}") && !text.includes('fine') });
      },
    },
  });
  await project.write(
    'reviews.csv',
    'id,text\n1,a story of 3\n2,a noise of 4\n3,a fine story of 5\n4,\n5,a story of 6\n',
  );
  fermata = await project.connect();
});
afterAll(async () => {
  await fermata.close();
  await project.close();
});

describe('a relation', () => {
  test('filters, computes, sorts and gives typed rows', async () => {
    const reviews = fermata.table<{ id: bigint; text: string | null }>('reviews.csv');
    const asked = reviews
      .where(sql`id < ${5}`)
      .semFilter(prompt`Does {text} say ${"it's {bad}"}?`)
      .semClassify('topic', 'text', ['plot', 'sound'])
      .semMap('n', 'How many? {text}', 'integer')
      .semMap('day', 'Which day? {text}', 'date')
      .select('id', 'topic', 'n', 'day')
      .orderBy('id', 'desc');
    const estimate = await asked.estimate();
    expect(estimate.calls.map(({ operator }) => operator)).toEqual(['filter', 'classify', 'complete', 'complete']);
    expect(project.endpoint.counts.calls).toBe(0);
    const day = Date.UTC(2024, 1, 29);
    expect(await asked.rows()).toEqual([
      { id: 2n, topic: 'sound', n: 4n, day },
      { id: 1n, topic: 'plot', n: 3n, day },
    ]);
    expect(project.endpoint.counts.calls).toBe(3 + 2 * 3);
  });

  test('keeps the k best, with a run to follow', async () => {
    const best = fermata.table('reviews.csv').semTopK(2, 'How many? {text}', { max: 10 });
    const run = await best.run({ budget: { calls: 100 } });
    expect((await run.rows()).map((row) => row['id'])).toEqual([5n, 3n]);
    expect((await run.result()).stop).toBe('complete');
  });

  test('tells faults of its SQL as the engine does', async () => {
    const misspelt = fermata.table('reviews.csv').semFilter('{texxt}?');
    await expect(misspelt.rows()).rejects.toMatchObject({ code: 'UnknownColumn' });
  });
});
