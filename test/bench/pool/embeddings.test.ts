import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pool, startPool } from '../../../bench/pool/start.js';
import { exactProfiles, sides, textOf, things } from './support.js';

const count = 120;
let exact: Pool;
let drawn: Pool;
beforeAll(async () => {
  exact = await startPool({ truth: [things(count)], profiles: exactProfiles(), latencyScale: 0 });
  drawn = await startPool({ truth: [things(count)], latencyScale: 0 });
});
afterAll(async () => {
  await exact.close();
  await drawn.close();
});

async function embed(
  pool: Pool,
  input: readonly string[],
  encoding?: 'base64',
): Promise<readonly (readonly number[])[]> {
  const body = JSON.stringify({ model: 'sim-embed', input, encoding_format: encoding });
  const response = await fetch(`${pool.url}/embeddings`, { method: 'POST', body });
  const { data } = (await response.json()) as { data: { embedding: number[] | string }[] };
  return data.map(({ embedding }) => (typeof embedding === 'string' ? floats(embedding) : embedding));
}

function floats(base64: string): readonly number[] {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return [...new Float32Array(bytes.buffer)];
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);
const rows = Array.from({ length: count }, (_, n) => n);

/** Rows whose nearest named class is their own. */
async function nearest(pool: Pool): Promise<number> {
  const vectors = await embed(pool, rows.map(textOf));
  const classes = await embed(
    pool,
    sides.map((side) => `a ${side} thing`),
  );
  return rows.filter((n) => {
    const scores = classes.map((centre) => dot(vectors[n]!, centre));
    return scores.indexOf(Math.max(...scores)) === n % 3;
  }).length;
}

describe('simulated embeddings', () => {
  it('are unit vectors, the same for the same text, in either encoding', async () => {
    const texts = [textOf(1), 'a text that nobody knows', ''];
    const plain = await embed(exact, texts);
    expect(await embed(exact, texts)).toEqual(plain);
    const packed = await embed(exact, texts, 'base64');
    for (const [at, vector] of plain.entries()) {
      expect(dot(vector, vector)).toBeCloseTo(1, 5);
      expect(dot(vector, packed[at]!)).toBeCloseTo(1, 5);
    }
    expect(dot(plain[0]!, plain[1]!)).toBeLessThan(0.99);
  });

  it('are nearer to rows of the same class, and to a text that names it', async () => {
    const vectors = await embed(exact, rows.map(textOf));
    const mean = (same: boolean): number => {
      const scores = rows.flatMap((a) =>
        rows.filter((b) => b > a && (a % 3 === b % 3) === same).map((b) => dot(vectors[a]!, vectors[b]!)),
      );
      return scores.reduce((sum, x) => sum + x, 0) / scores.length;
    };
    expect(mean(true)).toBeGreaterThan(mean(false) + 0.2);
    expect(await nearest(exact)).toBe(count);
  });

  it('take rows for another class as often as the profile says, about', async () => {
    const right = await nearest(drawn);
    expect(right).toBeGreaterThan(count * 0.75);
    expect(right).toBeLessThan(count);
  });

  it('hold each text of a batch against the context, not their sum', async () => {
    const long = Array.from({ length: 200 }, (_, n) => `${n} ${'word '.repeat(200)}`);
    expect(await embed(exact, long)).toHaveLength(200);
    const body = JSON.stringify({ model: 'sim-embed', input: ['short', 'word '.repeat(10_000)] });
    expect((await fetch(`${exact.url}/embeddings`, { method: 'POST', body })).status).toBe(400);
  });

  it('refuse what is no text', async () => {
    for (const input of [[], [1], undefined]) {
      const response = await fetch(`${exact.url}/embeddings`, {
        method: 'POST',
        body: JSON.stringify({ model: 'sim-embed', input }),
      });
      expect(response.status).toBe(400);
    }
    expect(
      (
        await fetch(`${exact.url}/embeddings`, {
          method: 'POST',
          body: JSON.stringify({ model: 'sim-mini', input: 'x' }),
        })
      ).status,
    ).toBe(400);
  });
});
