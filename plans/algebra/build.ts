import type { JsonValue } from '../protocol/json.js';
import { freeName, type RelationSchema } from '../relation/schema.js';
import { cardinalityOf, type Task } from '../tasks/task.js';
import { allOf, column, type Expression, isTrue, literal } from './expression.js';
import type {
  Aggregate,
  Apply,
  Binding,
  Computed,
  Group,
  Join,
  JoinKind,
  Operator,
  Order,
  Output,
  Project,
  Scan,
  TopK,
  Union,
} from './operator.js';
import { schemaOf } from './walk.js';

/** Constructors of operators. They trust what they are given: plans that come from outside go through the verifier. */

export function scan(relation: string, { schema, key }: RelationSchema): Scan {
  return { kind: 'scan', relation, schema, key };
}

/** σ; the input itself when there is nothing to check, and one σ where two would stand on each other. */
export function select(input: Operator, predicate: Expression): Operator {
  if (isTrue(predicate)) return input;
  if (input.kind !== 'select') return { kind: 'select', input, predicate };
  return { kind: 'select', input: input.input, predicate: allOf([input.predicate, predicate]) };
}

/** π onto attributes by name, and computed ones. */
export function project(input: Operator, columns: readonly (string | Computed)[]): Project {
  return {
    kind: 'project',
    input,
    columns: columns.map((item) => (typeof item === 'string' ? { name: item, expression: column(item) } : item)),
  };
}

/** π that keeps every attribute and adds computed ones. */
export function extend(input: Operator, columns: readonly Computed[]): Project {
  return project(input, [...schemaOf(input).map(({ name }) => name), ...columns]);
}

export function join(left: Operator, right: Operator, on: Expression = literal(true), how: JoinKind = 'inner'): Join {
  return { kind: 'join', left, right, how, on };
}

export function group(input: Operator, keys: readonly string[], aggregates: readonly Aggregate[] = []): Group {
  return { kind: 'group', input, keys, aggregates };
}

export function union(...inputs: readonly Operator[]): Union {
  return { kind: 'union', inputs };
}

export function topk(input: Operator, k: number, by: readonly Order[], per: readonly string[] = []): TopK {
  return { kind: 'topk', input, by, k, per };
}

export interface ApplyOptions {
  readonly bind: Readonly<Record<string, Binding | string>>;
  readonly params?: Readonly<Record<string, JsonValue>>;
  /** Names of the outputs in this plan. An output that is not named here keeps its name, or gets a free one like it. */
  readonly as?: Readonly<Record<string, string>>;
}

/**
 * A task on each tuple of a relation.
 *
 * @example applyTask(OpImgOCR, products, { bind: { image: 'photo' }, as: { Text: 'label' } })
 */
export function applyTask(task: Task, input: Operator, { bind, params = {}, as = {} }: ApplyOptions): Apply {
  const bound = Object.entries(bind).map(([slot, binding]) => [
    slot,
    typeof binding === 'string' ? { attribute: binding } : binding,
  ]);
  const outputs: Output[] = [];
  for (const [from, type] of outputTypes(task, params)) {
    const taken = [...schemaOf(input), ...outputs];
    outputs.push({ from, name: as[from] ?? freeName(taken, from), type });
  }
  return {
    kind: 'apply',
    input,
    task: task.name,
    bind: Object.fromEntries(bound) as Readonly<Record<string, Binding>>,
    params,
    outputs,
    cardinality: cardinalityOf(task, params),
  };
}

/** Outputs of a task under its parameters: the type of an answer may be one of them. */
export function outputTypes(
  task: Task,
  params: Readonly<Record<string, JsonValue>>,
): readonly (readonly [string, string])[] {
  return Object.entries(task.outputs).map(([name, type]) => {
    const asked = task.typed?.output === name ? params[task.typed.by] : undefined;
    return [name, typeof asked === 'string' ? asked : type];
  });
}

/** Name that an output of a task has in its plan. */
export function outputName(apply: Apply, from: string): string {
  return apply.outputs.find((output) => output.from === from)?.name ?? from;
}
