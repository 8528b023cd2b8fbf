import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` when the signal aborts; the function returned takes it back. One signal serves many calls at a time,
 * so Node's warning about a leak would be a false one.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
