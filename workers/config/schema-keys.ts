import * as z from 'zod';

type AnySchema = z.core.$ZodType;

function unwrap(schema: AnySchema): AnySchema {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}

function step(schema: AnySchema, key: PropertyKey): readonly AnySchema[] {
  if (schema instanceof z.ZodObject) {
    const next = (schema.shape as Readonly<Record<PropertyKey, AnySchema | undefined>>)[key];
    return next === undefined ? [] : [next];
  }
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodArray) return [schema.element];
  return [];
}

/** Alternatives of a union, narrowed by `kind` where the value names one. */
function alternatives(schema: AnySchema, value: unknown): readonly AnySchema[] {
  const plain = unwrap(schema);
  if (!(plain instanceof z.ZodUnion)) return [plain];
  const options = plain.options.map(unwrap);
  const kind = (value as { kind?: unknown } | null | undefined)?.kind;
  const named = options.filter(
    (option) =>
      option instanceof z.ZodObject &&
      option.shape['kind'] instanceof z.ZodLiteral &&
      option.shape['kind'].value === kind,
  );
  return named.length > 0 ? named : options;
}

/** Keys that the schema knows at a place in a value, for messages about unknown ones. */
export function keysAt(schema: AnySchema, path: readonly PropertyKey[], value: unknown): readonly string[] {
  let here = alternatives(schema, value);
  let at = value;
  for (const key of path) {
    at = (at as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[key];
    here = here.flatMap((candidate) => step(candidate, key)).flatMap((candidate) => alternatives(candidate, at));
  }
  return [...new Set(here.flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])))];
}
