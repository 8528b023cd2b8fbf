import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { readPrompt } from '../../../bench/pool/truth/items.js';
import { Truth } from '../../../bench/pool/truth/registry.js';
import { wordsOf } from '../../../bench/pool/truth/words.js';

/** Rows of about 1 KB that begin alike, as complaints do. */
const text = (n: number): string =>
  `The contact owns a vehicle and states that the following happened to it on the way: ${`part ${n} failed again near mile ${n * 7} `.repeat(25)}`;

function registered(count: number): Truth {
  const truth = new Truth();
  for (let n = 0; n < count; n++) {
    truth.add({
      id: `r${n}`,
      collection: 'rows',
      values: [text(n)],
      fields: { broken: n % 2 === 0 },
      evidence: { broken: 0.5 },
    });
  }
  return truth;
}

/** Table look-ups of one search. */
function readsOf(truth: Truth, prompt: string): number {
  const before = truth.texts.reads;
  expect(truth.sightings(wordsOf(prompt)).length).toBeGreaterThan(0);
  return truth.texts.reads - before;
}

describe('100,000 rows', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heapMb = (): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 2 ** 20;
  };
  const before = heapMb();
  const truth = registered(100_000);
  const grown = heapMb() - before;

  it('are kept without their texts', () => {
    const texts = (100_000 * text(50_000).length) / 2 ** 20;
    expect(texts).toBeGreaterThan(80);
    expect(grown).toBeLessThan(60);
    expect(JSON.stringify(truth.rowsOf('rows')[7])).not.toContain('vehicle');
    expect(truth.size).toBe(100_000);
  });

  it('are each found, alone and several in one prompt', () => {
    for (let n = 0; n < 100_000; n += 1999) {
      const { items } = readPrompt(truth, [{ kind: 'text', text: `[1]:\n${text(n)}\nIs it broken?` }], '');
      expect(items.map(({ tuple }) => tuple.id)).toEqual([`r${n}`]);
    }
    const many = [5, 99_999, 17, 5];
    const prompt = many.map((n, at) => `[${at + 1}]:\n${text(n)}`).join('\n\n');
    const { items } = readPrompt(truth, [{ kind: 'text', text: prompt }], '');
    expect(items.map(({ tuple, mark }) => [tuple.id, mark])).toEqual(many.map((n, at) => [`r${n}`, String(at + 1)]));
  });

  it('cost a search no more look-ups than 1,000 rows', () => {
    const prompt = `Is it broken?\n${text(321)}\n${'and some more words '.repeat(50)}`;
    expect(readsOf(truth, prompt)).toBe(readsOf(registered(1000), prompt));
    expect(readsOf(truth, prompt)).toBeLessThan(4 * wordsOf(prompt).count);
  });
});
