/** The trial that generated code must stand before it is used: rows of its kind, odd rows, and the same rows again. */
import type { JsonValue } from '../../protocol/json.js';
import type { CodeOutcome, CodeRow } from './code.js';

/** A column that code reads; `number` where all samples of it are numbers or null. */
export interface CodeColumn {
  readonly name: string;
  readonly kind: 'text' | 'number';
}

const oddTexts = ['', ' ', 'x'.repeat(20_000), '¿Qué? 日本語 🎈 \u2028 \ud800', '{"a": [1, "\\""]}', '-1.5e3', 'null'];
const oddNumbers = [0, -1, 1e15, 0.1, null];

/** Sample rows and, beside them, one row for each odd value in all columns. */
export function mockRows(columns: readonly CodeColumn[], samples: readonly CodeRow[]): readonly CodeRow[] {
  const odd = Array.from({ length: Math.max(oddTexts.length, oddNumbers.length) }, (_, at) =>
    Object.fromEntries(
      columns.map(({ name, kind }): [string, JsonValue] => {
        const values: readonly JsonValue[] = kind === 'number' ? oddNumbers : oddTexts;
        return [name, values[at % values.length] ?? null];
      }),
    ),
  );
  return [...samples, ...odd];
}

/**
 * What is wrong with code by its outcomes over `mockRows`, twice, the second time in another order; empty when nothing is.
 * An odd row may be abstained from; code that abstains from all `samples` is of no use.
 */
export function smokeProblems(
  rows: readonly CodeRow[],
  samples: number,
  first: readonly CodeOutcome[],
  second: readonly CodeOutcome[],
): readonly string[] {
  const problems = new Set<string>();
  for (const [at, outcome] of first.entries()) {
    if (outcome.state === 'failed') problems.add(`${outcome.message} (for ${brief(rows[at])}).`);
    else if (JSON.stringify(outcome) !== JSON.stringify(second[at])) {
      problems.add(`The same row had two different outcomes (${brief(rows[at])}).`);
    }
  }
  const answered = first.slice(0, samples).some(({ state }) => state !== 'abstained');
  if (samples > 0 && !answered) problems.add('No sample row had an answer.');
  return [...problems];
}

function brief(row: CodeRow | undefined): string {
  const text = JSON.stringify(row ?? {});
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
