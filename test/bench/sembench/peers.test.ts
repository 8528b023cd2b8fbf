import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../../bench/sembench/measure.js';
import type { Bench } from '../../../bench/sembench/counted.js';
import { movieQueries } from '../../../bench/sembench/movie/queries.js';
import type { SemQuery } from '../../../bench/sembench/scenario.js';
import { systems } from '../../../bench/sembench/systems.js';

const review = (id: string, reviewId: string, sign: string, score: string) => ({
  ...{ id, reviewId, reviewText: `text of ${reviewId}`, scoreSentiment: sign, originalScore: score },
});
const rows = [
  review('taken_3', '1', 'POSITIVE', '4/5'),
  review('taken_3', '2', 'NEGATIVE', '1/5'),
  review('ant_man_and_the_wasp_quantumania', '3', 'POSITIVE', '5/5'),
  review('ant_man_and_the_wasp_quantumania', '4', 'NEGATIVE', '2/5'),
  review('ant_man_and_the_wasp_quantumania', '4', 'NEGATIVE', '2/5'),
];
const queries = movieQueries(rows, [{ id: 'taken_3', audienceScore: '41.0' }]);
const query = (id: string): SemQuery => queries.find((one) => one.id === id)!;

let dir = '';
let bench: Bench;
const before = process.env['FERMATA_PEERS'];

/** In place of the peer's own: a program that says what it is told to. */
async function python(script: string): Promise<void> {
  const path = join(dir, 'lotus', 'bin', 'python');
  await mkdir(join(dir, 'lotus', 'bin'), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-peers-'));
  process.env['FERMATA_PEERS'] = dir;
  const counts = { calls: 3, inputTokens: 30, outputTokens: 3, usd: 0.5, latencyMs: 100, maxInFlight: 2 };
  bench = {
    project: { dir },
    pool: {
      url: 'http://pool/v1',
      pace: () => {},
      resetCounts: () => {},
      sleptMs: () => 0,
      counts: () => ({ m: counts }),
    },
    ...{ tables: {}, timeScale: 0.1, limitSeconds: 20, concurrency: 20 },
    loaded: { tables: { reviews: { columns: ['id', 'reviewId', 'reviewText'], rows } } },
  } as unknown as Bench;
});

afterAll(async () => {
  if (before === undefined) delete process.env['FERMATA_PEERS'];
  else process.env['FERMATA_PEERS'] = before;
  await rm(dir, { recursive: true });
});

const lotus = systems['lotus']!;
const says = (found: unknown): string => `echo noise; echo 'RESULT {"rows": ${JSON.stringify(found)}, "seconds": 1.5}'`;

describe('a peer', () => {
  it('gets rows without labels and the words of the query, and is counted at the pool', async () => {
    await python(`cp "$2" ${dir}/seen.json; ${says([[0], [1]])}`);
    const outcome = await measure(bench, lotus, query('Q3'));
    expect(outcome).toMatchObject({
      ...{ status: 'ok', rows: 1, quality: 0.5 },
      use: { calls: 3, usd: 0.5, callSeconds: 1, seconds: 1.5 },
    });
    const spec = JSON.parse(await readFile(join(dir, 'seen.json'), 'utf8')) as Record<string, unknown>;
    expect(spec).toMatchObject({
      ...{ op: 'filter', condition: 'review is clearly positive', where: ['id', 'taken_3'], column: 'reviewText' },
      ...{ model: 'sim-strong', concurrency: 20, baseUrl: 'http://pool/v1' },
    });
    const csv = await readFile(String(spec['csv']), 'utf8');
    expect(csv.split('\n').slice(0, 2)).toEqual(['row,id,reviewId,reviewText', '0,taken_3,1,text of 1']);
  });

  it.each<[string, unknown]>([
    ['Q2', [[0]]],
    ['Q4', [[0]]],
    ['Q5', [[3, 4]]],
    [
      'Q7',
      [
        [3, 2],
        [2, 3],
        [4, 3],
      ],
    ],
    [
      'Q8',
      [
        [0, 'positive'],
        [1, 'Negative'],
      ],
    ],
    [
      'Q9',
      [
        [2, '5'],
        [3, '2'],
        [4, '2'],
      ],
    ],
  ])('has its rows made into the result of %s', async (id, found) => {
    await python(says(found));
    // Q5 has no right pair in these rows, and a review is no pair with itself
    expect(await measure(bench, lotus, query(id))).toMatchObject({ status: 'ok', quality: id === 'Q5' ? 0 : 1 });
  });

  it('that is not there, refuses, breaks or hangs is an outcome that says so', async () => {
    expect(await measure(bench, systems['docetl']!, query('Q3'))).toMatchObject({
      status: 'skipped',
      why: expect.stringContaining('docetl') as string,
    });
    await python('echo REFUSED it has no map');
    expect(await measure(bench, lotus, query('Q8'))).toEqual({ status: 'refused', why: 'it has no map' });
    await python("echo 'Traceback' >&2; echo 'KeyError: reviewScore' >&2; exit 1");
    expect(await measure(bench, lotus, query('Q9'))).toEqual({ status: 'failed', why: 'KeyError: reviewScore' });
    await python('exec sleep 60');
    expect(await measure({ ...bench, limitSeconds: 0.3 }, lotus, query('Q3'))).toEqual({
      status: 'failed',
      why: 'it had not ended after 0.3 s',
    });
  });
});
