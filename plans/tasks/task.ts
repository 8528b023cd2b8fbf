import type { Cardinality } from '../algebra/operator.js';
import type { JsonValue } from '../protocol/json.js';
import type { AttributeType } from '../relation/types.js';

/** The database role of a task's outputs: CADENZA §4.1. */
export type TaskCategory = 'structural' | 'attributive' | 'associative' | 'generative' | 'latent';

export type TaskModality = 'text' | 'image' | 'audio' | 'text-image';

/**
 * A task: a typed computation that an `Apply` runs on each tuple (CADENZA §3, Table 1). It says what is computed and
 * nothing of how; implementations are the physical planner's.
 *
 * @example
 * const toxicity = {
 *   name: 'OpTxtToxicity', modality: 'text', category: 'attributive', description: 'Scores how toxic a text is.',
 *   inputs: { text: { type: 'Text' } }, outputs: { Score: 'DOUBLE' }, prompt: ['How toxic is this, 0 to 1? {text}'],
 * } as const satisfies Task;
 * const catalog = catalogOf([...tasks, toxicity]);
 */
export interface Task {
  readonly name: string;
  readonly modality: TaskModality;
  readonly category: TaskCategory;
  /** One sentence; the planner model chooses by it. */
  readonly description: string;
  readonly inputs: Readonly<Record<string, Slot>>;
  readonly params?: Readonly<Record<string, Param>>;
  readonly outputs: Readonly<Record<string, AttributeType>>;
  /** Output whose type a parameter of kind `type` sets: the Answer of a question. */
  readonly typed?: { readonly output: string; readonly by: string };
  /** `one` when left out; `many` when the named parameter is set. */
  readonly cardinality?: Cardinality | { readonly manyWith: string };
  /** Lines with `{input}` and `{param}` in them; a line that names one which is not there is left out. */
  readonly prompt: readonly string[];
  /** What rewrite templates know of the task. */
  readonly traits?: TaskTraits;
}

export interface Slot {
  readonly type: AttributeType;
  readonly optional?: true;
}

export type ParamKind = 'text' | 'texts' | 'number' | 'flag' | 'type';

export interface Param {
  readonly kind: ParamKind;
  readonly required?: true;
  readonly description: string;
}

export interface TaskTraits {
  /** Can be run on parts of the input: Partitioned Extraction. */
  readonly partition?: PartitionTrait;
  /** Makes text of another modality: the conversion of Cross-Modal Proxying. */
  readonly converts?: { readonly input: string; readonly output: string };
  /** The task that does the same on text: what Cross-Modal Proxying puts in its place. */
  readonly textual?: { readonly task: string; readonly inputs: Readonly<Record<string, string>> };
  /** A cheaper classifier over the same input, for a coarse scan before a verdict. */
  readonly coarse?: { readonly task: string; readonly inputs: Readonly<Record<string, string>> };
}

export interface PartitionTrait {
  readonly input: string;
  /** `union` keeps the rows of all parts; `best` the one row of the highest Score. */
  readonly merge: 'union' | 'best';
  /** Outputs that count within a part, and are made unique over all parts. */
  readonly indexes?: readonly string[];
}

/** Tasks by name. */
export type Catalog = ReadonlyMap<string, Task>;

/** A catalog of tasks; a later one replaces an earlier one of its name. */
export function catalogOf(tasks: readonly Task[]): Catalog {
  return new Map(tasks.map((task) => [task.name, task]));
}

/** Rows that the task makes of one tuple under these parameters. */
export function cardinalityOf(task: Task, params: Readonly<Record<string, JsonValue>>): Cardinality {
  const { cardinality = 'one' } = task;
  if (typeof cardinality === 'string') return cardinality;
  return isSet(params[cardinality.manyWith]) ? 'many' : 'one';
}

function isSet(value: JsonValue | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : value === true;
}

/**
 * The task's prompt with its parameters in it and its inputs still as `{input}`, one for each that is bound.
 *
 * @example taskPrompt(OpTxtQA, { question: 'Who won?' }, ['text']) // 'Answer the question …\nQuestion: Who won?\nText: {text}'
 */
export function taskPrompt(
  task: Task,
  params: Readonly<Record<string, JsonValue>>,
  bound: readonly string[] = Object.keys(task.inputs),
): string {
  const lines = task.prompt.flatMap((line) => {
    const names = [...line.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    if (!names.every((name) => bound.includes(name) || params[name] !== undefined)) return [];
    return line.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = params[name];
      return bound.includes(name) || value === undefined ? whole : paramText(value);
    });
  });
  return lines.join('\n');
}

function paramText(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(paramText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
