import type { RequiredOutput } from '../algebra/verify/context.js';
import { type Attribute, attributeOf, type RelationSchema, type Schema } from '../relation/schema.js';
import { classOf } from '../relation/types.js';

/** Semantic operators that the logical planner plans for; search and dedup are joins and top-k of these. */
export type Template = 'filter' | 'map' | 'classify' | 'score' | 'topk' | 'join';

/** A semantic operator bound to relations and an intent (CADENZA §2.1). */
export interface Instance {
  readonly template: Template;
  /** What is wanted, in the user's words; `{column}` or `{relation.column}` names what it is about. */
  readonly intent: string;
  /** One relation; two for a join, whose attributes have different names. */
  readonly inputs: readonly Input[];
  /** Attributes that are asked for beside those of the input. */
  readonly adds?: Schema;
  /** Labels of a classification. */
  readonly labels?: readonly string[];
  /** Rows of a top-k. */
  readonly k?: number;
  /** Attributes for each combination of which a top-k is taken. */
  readonly per?: readonly string[];
  /** Structured predicate of a join, in the text form of expressions. */
  readonly on?: string;
}

export interface Input extends RelationSchema {
  readonly name: string;
}

/** Attributes that an intent is about: those that it names, or all semantic and text ones when it names none. */
export function subjectsOf({ intent, inputs }: Instance): readonly Attribute[] {
  const all = inputs.flatMap(({ schema }) => schema);
  const named = [...intent.matchAll(/\{([^{}]+)\}/g)].flatMap(([, text = '']) => {
    const name = text.trim();
    return attributeOf(all, name) ?? attributeOf(all, name.slice(name.lastIndexOf('.') + 1)) ?? [];
  });
  const found = [...new Set(named)];
  if (found.length > 0) return found.filter(isReadable);
  const semantic = all.filter(({ type }) => type === 'Text' || type === 'Image' || type === 'Audio');
  return semantic.length > 0 ? semantic : all.filter(({ type }) => classOf(type) === 'text');
}

/** Whether a task can be asked about the attribute. */
function isReadable({ type }: Attribute): boolean {
  return ['text', 'image', 'audio'].includes(classOf(type) ?? '');
}

/** The intent as a question to a model, its placeholders as words: `Is {photo} red?` becomes `Is the photo red?`. */
export function questionOf({ intent }: Instance): string {
  return intent
    .replace(/\{(?:[^{}]*\.)?([^{}.]+)\}/g, (_, name: string) => `the ${name.trim().replaceAll('_', ' ')}`)
    .trim();
}

/** What every plan for an instance must give. */
export function outputOf({ template, inputs, adds = [] }: Instance): RequiredOutput {
  const schema = inputs.flatMap((input) => input.schema);
  const key = inputs.flatMap((input) => input.key);
  const rows =
    template === 'map' || template === 'classify' || template === 'score'
      ? 'one'
      : template === 'topk'
        ? 'any'
        : 'zero-or-one';
  return { schema: [...schema, ...adds], rows, key };
}
