import type { Apply, Output } from '../algebra/operator.js';
import type { CallInput, SemanticCall } from '../operators/call.js';
import type { OutputType, StructField } from '../operators/output.js';
import type { JsonValue } from '../protocol/json.js';
import { quoteName } from '../relation/names.js';
import { attributeOf, type Schema } from '../relation/schema.js';
import { type AttributeType, classOf } from '../relation/types.js';
import { type Task, taskPrompt } from './task.js';

/**
 * The general implementation of a task (CADENZA §5): one question to a language model about each tuple, answered by an object
 * of the task's outputs, or a list of such objects where a tuple gives many rows. `Score` is the model's own confidence.
 * Vectors come from a model of embeddings. Undefined where words give none of the outputs (an edited image), and for vectors
 * of sounds and of regions, which no call makes.
 */
export function generalCall(id: string, task: Task, apply: Apply, schema: Schema): SemanticCall | undefined {
  const bound = Object.entries(apply.bind);
  const inputs = bound.flatMap(([, slot]) => ('attribute' in slot ? [callInput(slot.attribute, schema)] : []));
  const vector = apply.outputs.length === 1 && classOf(apply.outputs[0]?.type ?? '') === 'vector';
  if (vector && (inputs.length !== 1 || inputs[0]?.modality === 'audio')) return undefined;
  const output: OutputType | undefined = vector ? { kind: 'vector' } : outputOf(apply);
  if (output === undefined) return undefined;
  return {
    id,
    role: 'value',
    parameters: { kind: vector ? 'embed' : 'complete' },
    template: [promptOf(task, apply), ...hintsOf(apply)].join('\n'),
    inputs,
    output,
    position: 0,
  };
}

/**
 * The rows that an answer to {@link generalCall} means, by the outputs' names in the plan; outputs that words do not give
 * are null. A task that gives one row gives one.
 */
export function generalRows(apply: Apply, answer: JsonValue): readonly Readonly<Record<string, JsonValue>>[] {
  const items: readonly JsonValue[] = apply.cardinality === 'many' && Array.isArray(answer) ? answer : [answer];
  return items.map((item) =>
    Object.fromEntries(apply.outputs.map((output) => [output.name, valueOf(item, output, apply)])),
  );
}

/** Stand for braces that are no placeholders while a prompt is put together. */
const marks = { open: '\u0001', close: '\u0002' } as const;

const hidden = (text: string): string => text.replaceAll('{', marks.open).replaceAll('}', marks.close);

function hiddenIn(value: JsonValue): JsonValue {
  if (typeof value === 'string') return hidden(value);
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(hiddenIn) : value;
}

/** The task's prompt with `{0}`, `{1}` … for the attributes that it reads, in the order of its bindings. */
function promptOf(task: Task, { bind, params }: Apply): string {
  const settings = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, hiddenIn(value)]));
  const numbers = new Map(
    Object.entries(bind)
      .filter(([, binding]) => 'attribute' in binding)
      .map(([slot], at) => [slot, at]),
  );
  return taskPrompt(task, settings, Object.keys(bind))
    .replace(/\{(\w+)\}/g, (_, slot: string) => {
      const binding = bind[slot];
      return binding !== undefined && 'text' in binding ? hidden(binding.text) : `{${numbers.get(slot) ?? 0}}`;
    })
    .replaceAll(marks.open, '{{')
    .replaceAll(marks.close, '}}');
}

function hintsOf({ outputs, cardinality }: Apply): readonly string[] {
  const names = outputs.map(({ from }) => from);
  return [
    ...(names.includes('Score') && names.length > 1 ? ['Score: how sure you are, from 0 to 1.'] : []),
    ...(cardinality === 'many' ? ['An empty list where there is none.'] : []),
  ];
}

function callInput(name: string, schema: Schema): CallInput {
  const kind = classOf(attributeOf(schema, name)?.type ?? 'VARCHAR');
  if (kind === 'image' || kind === 'audio') return { sql: quoteName(name), label: name, modality: kind };
  const sql = kind === 'text' ? quoteName(name) : `CAST(${quoteName(name)} AS VARCHAR)`;
  return { sql, label: name, modality: 'text' };
}

function outputOf(apply: Apply): OutputType | undefined {
  const fields = apply.outputs.flatMap((output): readonly StructField[] => {
    const type = typeOf(output, apply);
    return type === undefined ? [] : [{ name: output.from, type }];
  });
  const [only] = fields;
  if (only === undefined) return undefined;
  if (apply.cardinality === 'many') return { kind: 'list', item: { kind: 'struct', fields } };
  // One text alone is asked for as text: a summary needs no object around it.
  return apply.outputs.length === 1 ? only.type : { kind: 'struct', fields };
}

function typeOf({ from, type }: Output, { params }: Apply): OutputType | undefined {
  const labels = params['labels'];
  if (from === 'Label' && Array.isArray(labels))
    return { kind: 'enum', values: [...new Set(labels.filter((label) => typeof label === 'string'))] };
  if (from === 'Score' && type === 'DOUBLE') return { kind: 'number', min: 0, max: 1 };
  return wordsFor(type);
}

/** What values of a type are in words; undefined for those that words do not give. */
function wordsFor(type: AttributeType): OutputType | undefined {
  const list = /^(.*)\[\d*\]$/s.exec(type);
  if (list !== null) {
    const item = wordsFor(list[1] ?? '');
    return item === undefined ? undefined : { kind: 'list', item };
  }
  const kind = classOf(type);
  if (kind === 'boolean') return { kind: 'boolean' };
  if (kind === 'number') return /INT/i.test(type) ? { kind: 'integer' } : { kind: 'number' };
  if (kind === 'time') return type === 'DATE' ? { kind: 'date' } : { kind: 'string' };
  return kind === 'text' ? { kind: 'string' } : undefined;
}

/** Whether an answer gives the output; words give no masks or images. */
export function isInAnswer(apply: Apply, output: Output): boolean {
  return typeOf(output, apply) !== undefined || classOf(output.type) === 'vector';
}

function valueOf(item: JsonValue, output: Output, apply: Apply): JsonValue {
  if (!isInAnswer(apply, output)) return null;
  const alone = apply.outputs.length === 1 && apply.cardinality !== 'many';
  const value = alone ? item : fieldOf(item, output.from);
  const size = /\[(\d+)\]$/.exec(output.type)?.[1];
  if (size === undefined) return value;
  return Array.isArray(value) && value.length === Number(size) ? value : null;
}

function fieldOf(item: JsonValue, name: string): JsonValue {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return null;
  return (item as { readonly [key: string]: JsonValue })[name] ?? null;
}
