/** Whether what code returned is an answer. Strict: a model's spelling is forgiven, a program's is not. */
import { isObject } from '../../operators/decode-value.js';
import type { OutputType } from '../../operators/output.js';
import { readDate } from '../../operators/scalars.js';
import type { JsonValue } from '../../protocol/json.js';
import type { CodeOutcome } from './code.js';

/** Reads null, or `{answer, confidence?}` with an answer of the type. */
export function readReturned(returned: JsonValue, output: OutputType): CodeOutcome {
  if (returned === null) return { state: 'abstained' };
  if (!isObject(returned)) return wrong('the code returned neither null nor {answer, confidence}');
  const { answer, confidence, ...others } = returned;
  const other = Object.keys(others)[0];
  if (answer === undefined) return wrong('the returned object has no answer');
  if (other !== undefined)
    return wrong(`the returned object has a field ${JSON.stringify(other)} beside answer and confidence`);
  if (confidence !== undefined && !isShare(confidence)) return wrong('confidence is not a number from 0 to 1');
  const problem = misfit(answer, output, 'answer');
  if (problem !== undefined) return wrong(problem);
  return { state: 'ok', value: answer, ...(confidence === undefined ? {} : { confidence }) };
}

/** What keeps a value from being of a type, or undefined. Fields of a struct may be null, as a model's may, unless required. */
export function misfit(value: JsonValue, type: OutputType, path: string): string | undefined {
  const not = (wanted: string): string => `${path} is not ${wanted}`;
  switch (type.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : not('true or false');
    case 'integer':
      return Number.isSafeInteger(value) ? undefined : not('an integer');
    case 'number':
      return inRange(value, type.min, type.max)
        ? undefined
        : not(`a number from ${type.min ?? '-∞'} to ${type.max ?? '∞'}`);
    case 'string':
      return typeof value === 'string' ? undefined : not('text');
    case 'date':
      return isDate(value) ? undefined : not('a date as YYYY-MM-DD');
    case 'enum':
      return typeof value === 'string' && type.values.includes(value) ? undefined : not('one of the labels');
    case 'vector':
      return misfit(value, { kind: 'list', item: { kind: 'number' } }, path);
    case 'list':
      if (!Array.isArray(value)) return not('a list');
      return first(value as readonly JsonValue[], (item, at) => misfit(item, type.item, `${path}[${at}]`));
    case 'struct':
      return structMisfit(value, type, path);
  }
}

function structMisfit(
  value: JsonValue,
  { fields }: Extract<OutputType, { kind: 'struct' }>,
  path: string,
): string | undefined {
  if (!isObject(value)) return `${path} is not an object`;
  const odd = Object.keys(value).find((key) => !fields.some(({ name }) => name === key));
  if (odd !== undefined) return `${path} has a field ${JSON.stringify(odd)} that the type has not`;
  return first(fields, ({ name, type, required }) => {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    if (field === undefined) return `${path} lacks the field ${JSON.stringify(name)}`;
    if (field === null && required !== true) return undefined;
    return misfit(field, type, `${path}.${name}`);
  });
}

function first<T>(items: readonly T[], problem: (item: T, at: number) => string | undefined): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = problem(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inRange(value: JsonValue, min = -Infinity, max = Infinity): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max;
}

function isShare(value: JsonValue): value is number {
  return inRange(value, 0, 1);
}

function isDate(value: JsonValue): boolean {
  if (typeof value !== 'string') return false;
  const date = readDate(value);
  return date.ok && date.value === value;
}

function wrong(message: string): CodeOutcome {
  return { state: 'failed', fault: 'wrong-type', message };
}
