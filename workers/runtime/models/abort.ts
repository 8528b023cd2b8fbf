/** What waits on a signal. One listener of the signal serves them all: adding and removing those is dear. */
const waiting = new WeakMap<AbortSignal, Waiters>();

interface Waiters {
  readonly listeners: Set<() => void>;
  readonly fire: () => void;
}

/** Calls `listener` when the signal aborts; the function returned takes it back. One signal serves many calls at a time. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const { listeners, fire } = waiting.get(signal) ?? newWaiters(signal);
  if (listeners.size === 0) signal.addEventListener('abort', fire, { once: true });
  // A function of its own, so that the same listener given twice is two.
  const own = (): void => listener();
  listeners.add(own);
  return () => {
    // With the last one goes the signal's own listener: a derived signal with a listener is never freed.
    if (listeners.delete(own) && listeners.size === 0) signal.removeEventListener('abort', fire);
  };
}

function newWaiters(signal: AbortSignal): Waiters {
  const listeners = new Set<() => void>();
  const fire = (): void => {
    const all = [...listeners];
    listeners.clear();
    for (const listener of all) listener();
  };
  const waiters = { listeners, fire };
  waiting.set(signal, waiters);
  return waiters;
}
