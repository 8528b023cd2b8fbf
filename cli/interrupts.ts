import type { Io } from './io.js';

/** How long after the first Ctrl-C a second one still counts as «stop the run». */
export const secondWithinMs = 3_000;

export interface Interrupts {
  /** Fires at the first Ctrl-C. */
  readonly first: AbortSignal;
  /** Fires at the second. */
  readonly second: AbortSignal;
  stop(): void;
}

/** Listens for Ctrl-C until `stop`; the first detaches, a second one cancels. */
export function listenForInterrupts(io: Pick<Io, 'onInterrupt'>): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const stop = io.onInterrupt(() => {
    if (first.signal.aborted) second.abort();
    else first.abort();
  });
  return { first: first.signal, second: second.signal, stop };
}

/** Resolves when the signal fires; `stop` drops the listener. */
export function fired(signal: AbortSignal): { readonly promise: Promise<'fired'>; stop(): void } {
  let listener: () => void = () => undefined;
  const promise = new Promise<'fired'>((resolve) => {
    if (signal.aborted) resolve('fired');
    listener = () => resolve('fired');
    signal.addEventListener('abort', listener);
  });
  return { promise, stop: () => signal.removeEventListener('abort', listener) };
}
