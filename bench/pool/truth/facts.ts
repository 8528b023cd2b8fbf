/** From rows and a rule to the true answer. */
import type { JsonValue } from '../../../plans/protocol/json.js';
import type { KnownTuple, Truth } from './registry.js';
import type { TruthTask } from './types.js';

/** The true answer to one judgement, and what else might have been answered. */
export interface Fact {
  readonly key: string;
  readonly tuples: readonly KnownTuple[];
  /** Field whose evidence makes the judgement hard or easy. */
  readonly field: string;
  readonly value: JsonValue;
  readonly domain: readonly JsonValue[];
  /** Other words for the values. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** Scale that a number is on; undefined: as it is. */
  readonly range: readonly [number, number] | undefined;
  readonly harder: number;
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
const same = (a: JsonValue, b: JsonValue): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The fact of a field by itself, when an answer names it. */
export function fieldFact(truth: Truth, tuple: KnownTuple, field: string): Fact {
  return {
    key: `field ${field}`,
    tuples: [tuple],
    field,
    value: tuple.fields[field] ?? null,
    domain: truth.domain(tuple.collection, field),
    labels: {},
    range: undefined,
    harder: 0,
  };
}

/** The fact of a task about its rows: two for a pair, else one. */
export function taskFact(truth: Truth, task: TruthTask, tuples: readonly KnownTuple[]): Fact {
  const [left, right] = tuples;
  const rule = task.truth;
  const field = rule.rule === 'pair' ? rule.left : rule.field;
  const value = left?.fields[field] ?? null;
  const base = { key: task.key, tuples, field, labels: {}, range: undefined, harder: task.harder ?? 0 };
  switch (rule.rule) {
    case 'field':
    case 'rank': {
      const domain = left === undefined ? [] : truth.domain(left.collection, field);
      const labels = rule.rule === 'field' ? (rule.labels ?? {}) : {};
      return { ...base, tuples: tuples.slice(0, 1), value, domain, labels, range: rule.range };
    }
    case 'test': {
      const held = isList(value) ? value : [value];
      return {
        ...base,
        value: held.some((item) => rule.in.some((wanted) => same(item, wanted))),
        domain: [true, false],
      };
    }
    case 'pair': {
      const other = right?.fields[rule.right] ?? null;
      const match =
        rule.relation === 'includes' ? isList(value) && value.some((item) => same(item, other)) : same(value, other);
      return { ...base, value: match === (rule.relation !== 'different'), domain: [true, false] };
    }
  }
}
