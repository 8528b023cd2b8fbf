import type { CodeRow, GeneratedCode } from '../../plans/physical/synthesis/code.js';
import { type CodeColumn, mockRows, smokeProblems } from '../../plans/physical/synthesis/smoke.js';
import { staticProblems } from '../../plans/physical/synthesis/static-check.js';
import type { CodeRunner } from '../code-port.js';

/** Problems reported at once, at most: a drafter mends the first ones first. */
const mostProblems = 5;

/**
 * Everything that keeps generated code from being used: what can be read off it, then what it does with mock rows. Empty
 * when it may be used.
 */
export async function checkCode(
  runner: CodeRunner,
  code: GeneratedCode,
  columns: readonly CodeColumn[],
  samples: readonly CodeRow[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problems = staticProblems(code.source);
  if (problems.length > 0) return problems.slice(0, mostProblems);
  const rows = mockRows(columns, samples);
  const first = await runner.run(code, rows, signal);
  // In another order, since code that remembers rows would answer otherwise.
  const second = [...(await runner.run(code, [...rows].reverse(), signal))].reverse();
  return smokeProblems(rows, samples.length, first, second).slice(0, mostProblems);
}
