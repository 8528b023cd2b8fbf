import { availableParallelism } from 'node:os';
import type { CodeRunner } from '../../../activities/code-port.js';
import type { ChildLimits, ChildUse } from './child.js';
import { ChildPool } from './pool.js';
import { type RunnerOptions, SandboxRunner } from './runner.js';
import { Strikes } from './strikes.js';

export interface SandboxOptions extends Partial<ChildLimits>, Partial<RunnerOptions> {
  /** Children at work at the same time; they start when they are first needed. */
  readonly children?: number;
  /** Rows that may break the limits before their code is disabled. */
  readonly strikes?: number;
  /** Told of the use of each batch where the system says it. */
  readonly observe?: (use: ChildUse) => void;
}

export interface Sandbox extends CodeRunner {
  /** Ends all children. */
  close(): Promise<void>;
}

/**
 * Opens a sandbox for generated code: killable child processes without environment, files to write, or programs to start,
 * with QuickJS inside.
 *
 * @example
 * const sandbox = openSandbox();
 * await sandbox.run({ source: '(row) => ({ answer: row.n > 3 })', output: { kind: 'boolean' } }, [{ n: 4 }], signal);
 */
export function openSandbox(options: SandboxOptions = {}): Sandbox {
  const { children = Math.min(availableParallelism(), 4), strikes = 3, observe, keepContext } = options;
  const { softMs = 200, graceMs = 400, heapMb = 128, batchRows = 100, batchChars = 1_000_000 } = options;
  const pool = new ChildPool(children, { softMs, graceMs, heapMb }, observe);
  const runner = new SandboxRunner(pool, new Strikes(strikes), {
    batchRows,
    batchChars,
    ...(keepContext === undefined ? {} : { keepContext }),
  });
  return { run: (...call) => runner.run(...call), close: () => pool.close() };
}
