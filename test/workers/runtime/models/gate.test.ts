import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Limits, Model } from '../../../../activities/ports.js';
import { createCallGate } from '../../../../workers/runtime/models/gate.js';
import { never } from './requests.js';

const modelWith = (limits: Limits, name = 'm'): Model => ({ name, identity: name, modalities: ['text'], limits });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Calls that enter at once, each held for `holdMs`; records when each began, in ms. */
function enterAll(model: Model, sizes: readonly number[], holdMs: number) {
  const gate = createCallGate();
  const start = performance.now();
  const begun: { readonly tokens: number; readonly at: number }[] = [];
  const done = Promise.all(
    sizes.map(async (tokens) => {
      const leave = await gate.enter(model, tokens, never);
      begun.push({ tokens, at: performance.now() - start });
      setTimeout(leave, holdMs);
    }),
  );
  return { gate, begun, done };
}

/** Most that any window of a minute holds. */
function busiestMinute(
  begun: readonly { readonly at: number; readonly tokens: number }[],
  of: (tokens: number) => number,
) {
  return Math.max(
    ...begun.map(({ at: from }) =>
      begun.filter(({ at }) => at >= from && at < from + 60_000).reduce((sum, { tokens }) => sum + of(tokens), 0),
    ),
  );
}

describe('concurrency', () => {
  test('no more than allowed at a time, in order of arrival', async () => {
    const { begun, done } = enterAll(modelWith({ concurrency: 2 }), [1, 2, 3, 4, 5], 100);
    await vi.advanceTimersByTimeAsync(1000);
    await done;
    expect(begun.map(({ tokens }) => tokens)).toEqual([1, 2, 3, 4, 5]);
    expect(begun.map(({ at }) => Math.round(at / 100))).toEqual([0, 0, 1, 1, 2]);
  });

  test('leaving twice frees one place', async () => {
    const gate = createCallGate();
    const model = modelWith({ concurrency: 1 });
    const leave = await gate.enter(model, 1, never);
    leave();
    leave();
    await gate.enter(model, 1, never);
    const third = vi.fn();
    void gate.enter(model, 1, never).then(third);
    await vi.advanceTimersByTimeAsync(1000);
    expect(third).not.toHaveBeenCalled();
  });

  test('models do not wait for each other', async () => {
    const gate = createCallGate();
    await gate.enter(modelWith({ concurrency: 1 }, 'a'), 1, never);
    await gate.enter(modelWith({ concurrency: 1 }, 'b'), 1, never);
  });
});

describe('requests a minute', () => {
  test('no window of a minute holds more', async () => {
    const { begun, done } = enterAll(modelWith({ concurrency: 100, rpm: 7 }), new Array<number>(30).fill(1), 10);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    await done;
    expect(begun).toHaveLength(30);
    expect(busiestMinute(begun, () => 1)).toBeLessThanOrEqual(7);
    // Not slower than the limit asks for: 30 calls of 7 a minute fit into the fifth minute.
    expect(begun.at(-1)?.at).toBeLessThan(4 * 60_000 + 1000);
  });
});

describe('tokens a minute', () => {
  // lotus/issues/233: only requests were limited, so a few rows of 50,000 tokens hit the token limit
  test('8 rows of 100 and 2 of 50,000 tokens at 60,000 a minute never exceed it', async () => {
    const sizes = [100, 100, 50_000, 100, 100, 50_000, 100, 100, 100, 100];
    const { begun, done } = enterAll(modelWith({ concurrency: 16, tpm: 60_000 }), sizes, 50);
    await vi.advanceTimersByTimeAsync(3 * 60_000);
    await done;
    expect(busiestMinute(begun, (tokens) => tokens)).toBeLessThanOrEqual(60_000);
    const big = begun.filter(({ tokens }) => tokens === 50_000);
    expect((big[1]?.at ?? 0) - (big[0]?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect(begun.at(-1)?.at).toBeLessThan(61_000);
  });

  test('a call bigger than the limit waits for an empty minute and goes alone', async () => {
    const { begun, done } = enterAll(modelWith({ concurrency: 16, tpm: 1000 }), [400, 5000, 400, 400], 10);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    await done;
    expect(begun.map(({ tokens }) => tokens)).toEqual([400, 5000, 400, 400]);
    expect(begun[1]?.at).toBeGreaterThanOrEqual(60_000);
    expect((begun[2]?.at ?? 0) - (begun[1]?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect(begun[3]?.at).toBe(begun[2]?.at);
  });
});

describe('pause', () => {
  test('no call starts before its end; a shorter one does not shorten it', async () => {
    const gate = createCallGate();
    const model = modelWith({ concurrency: 4 });
    const start = performance.now();
    gate.pause(model, 5000);
    gate.pause(model, 100);
    const entered = gate.enter(model, 1, never).then(() => performance.now() - start);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await entered).toBeGreaterThanOrEqual(5000);
  });
});

describe('abort', () => {
  test('a waiting call gives up its place and the next one goes on', async () => {
    const gate = createCallGate();
    const model = modelWith({ concurrency: 1 });
    const leave = await gate.enter(model, 1, never);
    const control = new AbortController();
    const second = gate.enter(model, 1, control.signal);
    const third = gate.enter(model, 1, never);
    control.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    leave();
    await third;
  });

  test('a call that waits at the head for tokens does not hold up smaller ones once it is gone', async () => {
    const gate = createCallGate();
    const model = modelWith({ concurrency: 4, tpm: 100 });
    await gate.enter(model, 60, never);
    const control = new AbortController();
    const big = gate.enter(model, 80, control.signal);
    const small = gate.enter(model, 30, never);
    control.abort(new Error('stopped'));
    await expect(big).rejects.toThrow('stopped');
    await small;
  });

  test('an aborted signal never enters', async () => {
    await expect(
      createCallGate().enter(modelWith({ concurrency: 1 }), 1, AbortSignal.abort(new Error('gone'))),
    ).rejects.toThrow('gone');
  });
});
