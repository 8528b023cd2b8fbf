import { FermataError } from '../protocol/errors.js';
import { type Attribute, clashes, freeName } from '../relation/schema.js';
import type { Input } from './instance.js';

/** Inputs whose columns have different names, and the intent in these names. */
export interface Distinct {
  readonly intent: string;
  readonly inputs: readonly Input[];
  /** Own name of each column that got another one, by input and new name. */
  readonly renamed: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Tells columns of one name apart by the names of their relations: `id` of `a` and of `b` become `a_id` and `b_id`, and
 * `{a.id}` in the intent `{a_id}`.
 *
 * @throws FermataError `BadArgument` for a placeholder that could mean either, or two relations of one name
 */
export function distinctColumns(intent: string, inputs: readonly Input[]): Distinct {
  const names = inputs.map(({ name }) => name);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    throw new FermataError('BadArgument', `Two inputs are named ${names[0] ?? ''}.`, {
      hint: 'Give one of them another name: --input other=PATH.',
    });
  const taken: Attribute[] = inputs.flatMap(({ schema }, at) =>
    schema.filter(({ name }) => !isShared(inputs, name, at)),
  );
  const renamed: Record<string, Record<string, string>> = {};
  const changed = inputs.map((input, at): Input => {
    const found = new Map<string, string>();
    const schema = input.schema.map((attribute): Attribute => {
      if (!isShared(inputs, attribute.name, at)) return attribute;
      const name = freeName(taken, `${input.name}_${attribute.name}`);
      taken.push({ ...attribute, name });
      found.set(attribute.name, name);
      return { ...attribute, name };
    });
    if (found.size > 0) renamed[input.name] = Object.fromEntries([...found].map(([own, name]) => [name, own]));
    return { ...input, schema, key: input.key.map((name) => found.get(name) ?? name) };
  });
  return { intent: inTheseNames(intent, inputs, renamed), inputs: changed, renamed };
}

function isShared(inputs: readonly Input[], name: string, own: number): boolean {
  return inputs.some(({ schema }, at) => at !== own && clashes(schema, name));
}

function inTheseNames(intent: string, inputs: readonly Input[], renamed: Distinct['renamed']): string {
  return intent.replace(/\{([^{}]+)\}/g, (whole, text: string) => {
    const name = text.trim();
    const dot = name.lastIndexOf('.');
    const relation = name.slice(0, Math.max(dot, 0));
    const own = name.slice(dot + 1);
    const holders = inputs.filter(({ name: input }) => dot < 0 || input === relation);
    const found = holders.flatMap((input) =>
      Object.entries(renamed[input.name] ?? {}).flatMap(([now, before]) => (before === own ? [now] : [])),
    );
    const [only] = found;
    if (only === undefined) return whole;
    if (found.length === 1) return `{${only}}`;
    throw new FermataError('BadArgument', `Both inputs have a column ${own}.`, {
      where: { column: own },
      hint: `Write ${inputs.map((input) => `{${input.name}.${own}}`).join(' or ')}.`,
    });
  });
}
