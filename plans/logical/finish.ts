import { project } from '../algebra/build.js';
import { call, column, type Expression, literal } from '../algebra/expression.js';
import type { Operator } from '../algebra/operator.js';
import type { Attribute, Schema } from '../relation/schema.js';
import { classOf } from '../relation/types.js';
import type { Instance } from './instance.js';
import { outputOf } from './instance.js';

/** π onto what an instance must give, values of added attributes computed. */
export function finish(
  instance: Instance,
  plan: Operator,
  values: Readonly<Record<string, Expression>> = {},
): Operator {
  return project(
    plan,
    outputOf(instance).schema.map(({ name }) => ({ name, expression: values[name] ?? column(name) })),
  );
}

/** Type that a question for an attribute is answered in. */
export function answerType({ type }: Attribute): string {
  const kind = classOf(type);
  return kind === 'text' ? 'VARCHAR' : type;
}

/** One question for several attributes: its answer is a JSON text, from which each is read. */
export function fieldsQuestion(question: string, adds: Schema): string {
  return `${question}\nAnswer with a JSON object of these fields: ${adds.map(({ name, type }) => `${name} (${type})`).join(', ')}.`;
}

/** The attributes of the JSON text that {@link fieldsQuestion} asks for; undefined where a type cannot be read from it. */
export function fieldsOf(answer: string, adds: Schema): Readonly<Record<string, Expression>> | undefined {
  const values = adds.map(({ name, type }): readonly [string, Expression | undefined] => {
    const text = call('json_text', column(answer), literal(name));
    const kind = classOf(type);
    return [name, kind === 'text' ? text : type === 'DOUBLE' ? call('to_number', text) : undefined];
  });
  const found = values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return found.length === values.length ? Object.fromEntries(found) : undefined;
}
