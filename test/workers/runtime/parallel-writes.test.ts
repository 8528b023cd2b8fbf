import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ParallelWrites } from '../../../workers/runtime/parallel-writes.js';

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

test('never more at once, nor more bytes, than allowed; every write ends before done', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 5 })), { maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      async (sizes, most) => {
        const writes = new ParallelWrites(most, 40);
        let [open, bytes, ended] = [0, 0, 0];
        for (const [size, ticks] of sizes) {
          await writes.add(size, async () => {
            open += 1;
            bytes += size;
            expect(open).toBeLessThanOrEqual(most);
            expect(open === 1 || bytes <= 40).toBe(true);
            for (let i = 0; i < ticks; i += 1) await tick();
            open -= 1;
            bytes -= size;
            ended += 1;
          });
        }
        await writes.done();
        expect(ended).toBe(sizes.length);
      },
    ),
  );
});

test('several are open at once', async () => {
  const writes = new ParallelWrites(3);
  const ends: (() => void)[] = [];
  for (let i = 0; i < 3; i += 1) await writes.add(1, () => new Promise((resolve) => ends.push(resolve)));
  expect(ends).toHaveLength(3);
  for (const end of ends) end();
  await writes.done();
});

test('a failed write fails the next one and done, after those in flight have ended', async () => {
  const writes = new ParallelWrites(2);
  let ended = false;
  await writes.add(1, async () => {
    await tick();
    throw new Error('disk full');
  });
  await writes.add(1, async () => {
    for (let i = 0; i < 3; i += 1) await tick();
    ended = true;
  });
  await expect(writes.add(1, () => Promise.resolve())).rejects.toThrow('disk full');
  expect(ended).toBe(true);
  await expect(writes.done()).rejects.toThrow('disk full');
});
