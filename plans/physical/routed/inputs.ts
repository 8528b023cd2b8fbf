/** An input of a call as routers and rules see it. Columns go by their place in the prompt: a plan knows no names of tables. */
import { type FeatureTable, joinFeatures, textFeatures } from '../router/features.js';
import type { CodeRow } from '../synthesis/code.js';
import type { RuleRow } from '../synthesis/rules.js';

/** Name of the n-th input, from 0. */
export function inputName(at: number): string {
  return `input${at}`;
}

/** Features of the texts of each row, all rows having as many as the first. */
export function inputFeatures(rows: readonly (readonly string[])[]): FeatureTable {
  const places = rows[0]?.length ?? 0;
  return joinFeatures(
    Array.from({ length: places }, (_, at) =>
      textFeatures(
        rows.map((values) => values[at] ?? ''),
        `${inputName(at)} `,
      ),
    ),
  );
}

export function ruleRow(values: readonly string[]): RuleRow {
  return { texts: Object.fromEntries(values.map((value, at) => [inputName(at), value])), numbers: {} };
}

export function codeRow(values: readonly string[]): CodeRow {
  return Object.fromEntries(values.map((value, at) => [inputName(at), value]));
}
