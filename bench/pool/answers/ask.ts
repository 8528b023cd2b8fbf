import type { Schema } from '../serve/request.js';
import type { Unit } from '../truth/choose.js';
import { type Fact, taskFact } from '../truth/facts.js';
import type { Prompt } from '../truth/items.js';
import type { Truth } from '../truth/registry.js';
import type { TruthTask } from '../truth/types.js';
import type { Judge } from './judge.js';
import type { Written } from './written.js';

/** A question as it stands: who is asked, about what. */
export interface Ask {
  readonly truth: Truth;
  readonly judge: Judge;
  readonly prompt: Prompt;
  /** Undefined where no task fits: then only fields that the answer names can be told. */
  readonly task: TruthTask | undefined;
  readonly units: readonly Unit[];
  /** Where the schema's references point. */
  readonly definitions: Readonly<Record<string, Schema>>;
  /** Writes a place within a place. Throws {@link Unfillable}. */
  readonly write: (schema: Schema, ask: Ask) => Written;
}

/** The schema has a place that no truth fills. */
export class Unfillable extends Error {}

/** The schema without a reference, and without the alternative that is null. */
export function plainSchema(node: Schema, ask: Ask): { readonly node: Schema; readonly nullable: boolean } {
  if (node.$ref !== undefined) {
    const found = ask.definitions[node.$ref.replace(/^#\/(\$defs|definitions)\//, '')];
    if (found === undefined) throw new Unfillable(`the schema refers to ${node.$ref}, which is not there`);
    return plainSchema(found, ask);
  }
  const options = node.anyOf ?? node.oneOf;
  if (options !== undefined) {
    const first = options.find(({ type }) => type !== 'null');
    const inner = first === undefined ? { node: {}, nullable: true } : plainSchema(first, ask);
    return { node: inner.node, nullable: inner.nullable || options.some(({ type }) => type === 'null') };
  }
  if (node.type !== undefined && typeof node.type !== 'string') {
    const type = node.type.find((name) => name !== 'null');
    return { node: type === undefined ? {} : { ...node, type }, nullable: node.type.includes('null') };
  }
  return { node, nullable: false };
}

/** The judgement that a single answer is about: the last rows of the prompt, since examples come before the data. */
export function lastUnit(ask: Ask): Unit {
  const unit = ask.units.at(-1);
  if (unit === undefined) throw new Unfillable('no row to judge');
  return unit;
}

export function factOf(ask: Ask, unit: Unit): Fact {
  if (ask.task === undefined) throw new Unfillable('no registered task fits the question');
  return taskFact(ask.truth, ask.task, unit.tuples);
}

export const optionsOf = (node: Schema): readonly string[] | undefined =>
  node.const !== undefined ? [String(node.const)] : node.enum?.map(String);
