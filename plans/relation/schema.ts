import type { AttributeType } from './types.js';

export interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
}

/** Attributes of a relation. Names are unique, and DuckDB ignores their case. */
export type Schema = readonly Attribute[];

/** A relation as plans see it. */
export interface RelationSchema {
  readonly schema: Schema;
  /** Attributes that together tell any two tuples apart; empty when none are known. */
  readonly key: readonly string[];
}

export function attributeOf(schema: Schema, name: string): Attribute | undefined {
  return schema.find((attribute) => attribute.name === name);
}

/** Whether an attribute of this name would clash with one of the schema: DuckDB ignores case. */
export function clashes(schema: Schema, name: string): boolean {
  const lower = name.toLowerCase();
  return schema.some((attribute) => attribute.name.toLowerCase() === lower);
}

/** A name near `name` that no attribute has: `Score`, `Score_2`, … */
export function freeName(schema: Schema, name: string): string {
  if (!clashes(schema, name)) return name;
  let count = 2;
  while (clashes(schema, `${name}_${count}`)) count += 1;
  return `${name}_${count}`;
}

/** Same names with the same types, in whatever order. */
export function sameSchema(left: Schema, right: Schema): boolean {
  if (left.length !== right.length) return false;
  const types = new Map(right.map((attribute) => [attribute.name, attribute.type]));
  return left.every((attribute) => types.get(attribute.name) === attribute.type);
}

/** `id: BIGINT, image: Image` */
export function schemaText(schema: Schema): string {
  return schema.map(({ name, type }) => `${name}: ${type}`).join(', ');
}
