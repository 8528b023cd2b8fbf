import type { CodeOutcome, CodeRow, GeneratedCode } from '../plans/physical/synthesis/code.js';

/**
 * Runs generated code apart from everything else: no file, network, process, clock or randomness, and bounds on time and
 * memory that hold whatever the code does.
 */
export interface CodeRunner {
  /**
   * Outcomes in the order of the rows, one each; a fault of the code is an outcome and never thrown. The same code gives the
   * same row the same outcome.
   *
   * @throws `FermataError` `SandboxFailed` when no process can be started; the signal's reason when it aborts.
   */
  run(code: GeneratedCode, rows: readonly CodeRow[], signal: AbortSignal): Promise<readonly CodeOutcome[]>;
}
