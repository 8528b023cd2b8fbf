import { applyTask, extend, outputName } from '../algebra/build.js';
import { call, column, type Expression, literal } from '../algebra/expression.js';
import type { Apply, Binding, Operator } from '../algebra/operator.js';
import { schemaOf } from '../algebra/walk.js';
import type { JsonValue } from '../protocol/json.js';
import { type Attribute, freeName } from '../relation/schema.js';
import { classOf, type TypeClass } from '../relation/types.js';
import type { Catalog } from '../tasks/task.js';

/** Which task reads a value of each class, and under which slots a first and a second value of that class stand. */
const askers = {
  image: { qa: 'OpImgVQA', classify: 'OpImgCls', slots: ['image', 'other'] },
  audio: { qa: 'OpAudQA', classify: 'OpAudCls', slots: ['audio', 'other'] },
  text: { qa: 'OpTxtQA', classify: 'OpTxtCls', slots: ['text', 'context'] },
} as const satisfies Partial<Record<TypeClass, { qa: string; classify: string; slots: readonly [string, string] }>>;

export type Modality = keyof typeof askers;

export const modalityOf = ({ type }: Attribute): Modality => {
  const kind = classOf(type);
  return kind === 'image' || kind === 'audio' ? kind : 'text';
};

/** Subjects of one class each: images before audio before text, for an image task reads text beside its image. */
export function leadOf(subjects: readonly Attribute[]): Modality {
  return (
    (['image', 'audio'] as const).find((kind) => subjects.some((subject) => modalityOf(subject) === kind)) ?? 'text'
  );
}

export interface Asked {
  readonly apply: Apply;
  readonly answer: string;
  readonly score: string;
}

/**
 * One question about all subjects at once. Several texts become one, each under its name; undefined where no task of the
 * catalog can read the subjects together.
 */
export function ask(
  catalog: Catalog,
  input: Operator,
  subjects: readonly Attribute[],
  params: Readonly<Record<string, JsonValue>>,
): Asked | undefined {
  const lead = leadOf(subjects);
  const task = catalog.get(askers[lead].qa);
  const bound = bindSubjects(input, subjects, lead);
  if (task === undefined || bound === undefined) return undefined;
  const apply = applyTask(task, bound.input, { bind: bound.bind, params });
  return { apply, answer: outputName(apply, 'Answer'), score: outputName(apply, 'Score') };
}

/** A classification of the leading subject; undefined for several images or clips, which no classifier reads together. */
export function classify(
  catalog: Catalog,
  input: Operator,
  subjects: readonly Attribute[],
  params: Readonly<Record<string, JsonValue>>,
): { readonly apply: Apply; readonly label: string; readonly score: string } | undefined {
  const lead = leadOf(subjects);
  const task = catalog.get(askers[lead].classify);
  const bound = bindSubjects(
    input,
    subjects.filter((subject) => modalityOf(subject) === lead),
    lead,
  );
  if (task === undefined || bound === undefined) return undefined;
  const [first] = askers[lead].slots;
  const apply = applyTask(task, bound.input, { bind: { [first]: bound.bind[first] ?? '' }, params });
  return { apply, label: outputName(apply, 'Label'), score: outputName(apply, 'Score') };
}

function bindSubjects(
  input: Operator,
  subjects: readonly Attribute[],
  lead: Modality,
): { readonly input: Operator; readonly bind: Readonly<Record<string, Binding>> } | undefined {
  const leading = subjects.filter((subject) => modalityOf(subject) === lead);
  const texts = subjects.filter((subject) => modalityOf(subject) === 'text');
  const [first, second] = askers[lead].slots;
  if (lead === 'text') {
    const [left, right] = texts;
    if (left === undefined) return undefined;
    if (texts.length === 1) return { input, bind: { [first]: { attribute: left.name } } };
    if (texts.length === 2 && right !== undefined)
      return { input, bind: { [first]: { attribute: left.name }, [second]: { attribute: right.name } } };
    const joined = joinTexts(input, texts);
    return { input: joined.input, bind: { [first]: { attribute: joined.name } } };
  }
  if (leading.length > 2 || leading.length + texts.length < subjects.length) return undefined;
  const bind: Record<string, Binding> = {};
  leading.forEach(({ name }, index) => {
    bind[index === 0 ? first : second] = { attribute: name };
  });
  const [only] = texts;
  if (only === undefined) return { input, bind };
  if (texts.length === 1) return { input, bind: { ...bind, context: { attribute: only.name } } };
  const joined = joinTexts(input, texts);
  return { input: joined.input, bind: { ...bind, context: { attribute: joined.name } } };
}

/** One text of several, each under the name of its attribute. */
export function joinTexts(
  input: Operator,
  texts: readonly Attribute[],
): { readonly input: Operator; readonly name: string } {
  const name = freeName(schemaOf(input), 'subject_text');
  const parts = texts.flatMap((text, index): readonly Expression[] => [
    literal(`${index === 0 ? '' : '\n'}${text.name}: `),
    column(text.name),
  ]);
  return { input: extend(input, [{ name, expression: call('concat', ...parts) }]), name };
}
