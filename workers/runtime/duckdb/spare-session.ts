import { type DuckDbOptions, type DuckDbSession, openDuckDb } from './session.js';

export interface DuckDbSessions {
  /** A session that nobody has used; `close` it after use. */
  open(): Promise<DuckDbSession>;
  /** Closes the one that waits. Sessions in use are their users' to close. */
  close(): Promise<void>;
}

/**
 * Opens sessions ahead: a session is locked for good by its first user, and opening one takes some 20 ms, several times a
 * run. One waits while the process is idle.
 */
export function createSessions(options: DuckDbOptions): DuckDbSessions {
  let spare: Promise<DuckDbSession> | undefined;
  let closed = false;
  const prepare = (): void => {
    if (closed || spare !== undefined) return;
    const opening = openDuckDb(options);
    spare = opening;
    // its next user sees the error of opening anew
    opening.catch(() => {
      if (spare === opening) spare = undefined;
    });
  };
  return {
    async open() {
      const taken = spare;
      spare = undefined;
      const session = await (taken ?? openDuckDb(options)).catch(() => openDuckDb(options));
      setImmediate(prepare);
      return session;
    },
    async close() {
      closed = true;
      const waiting = await spare?.catch(() => undefined);
      spare = undefined;
      await waiting?.close();
    },
  };
}
