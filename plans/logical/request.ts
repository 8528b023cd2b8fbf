import { FermataError } from '../protocol/errors.js';
import { type Attribute, attributeOf, clashes, type Schema } from '../relation/schema.js';
import { classOf, isAssignable } from '../relation/types.js';
import { didYouMean } from '../sql/nearest.js';
import type { Input, Instance, Template } from './instance.js';
import { parseOutputSchema, type WantedColumn } from './output-schema.js';

/** What somebody wants planned. */
export interface PlanRequest {
  readonly intent: string;
  /** One relation, or two that are to be joined; columns of one name are told apart by {@link distinctColumns}. */
  readonly inputs: readonly Input[];
  /** `name type, …`: columns that the result has beside those of the input. */
  readonly output?: string;
  /** Labels of a classification. */
  readonly labels?: readonly string[];
  /** Rows of a top-k. */
  readonly top?: number;
  /** Structured predicate of a join. */
  readonly on?: string;
}

/**
 * The instance of a semantic operator that a request means: two inputs join, labels classify, `top` ranks, columns that are
 * not there yet are to be made, and an intent alone filters.
 *
 * @throws FermataError `BadArgument` for what does not go together, `UnknownColumn` and `TypeMismatch` for columns
 */
export function instanceOf(request: PlanRequest): Instance {
  const { inputs, labels, top, on } = request;
  const schema = inputs.flatMap((input) => input.schema);
  const adds = addedColumns(schema, request.output === undefined ? [] : parseOutputSchema(request.output));
  const template = templateOf(request, adds);
  checkIntent(request.intent, inputs);
  return {
    template,
    intent: request.intent,
    inputs,
    ...(adds.length === 0 ? {} : { adds }),
    ...(labels === undefined ? {} : { labels }),
    ...(top === undefined ? {} : { k: top }),
    ...(on === undefined ? {} : { on }),
  };
}

function templateOf({ inputs, labels, top, on }: PlanRequest, adds: Schema): Template {
  if (inputs.length === 0 || inputs.length > 2) throw unfit(`${inputs.length} inputs were given`, 'Name one, or two.');
  if (inputs.length === 2) {
    if (labels !== undefined || top !== undefined || adds.length > 0)
      throw unfit('a join adds no columns, labels or order', 'Leave them out, and ask for them over its result.');
    return 'join';
  }
  if (on !== undefined) throw unfit('a predicate between two inputs needs two inputs', 'Name a second input.');
  if (labels !== undefined) {
    if (top !== undefined) throw unfit('a classification has no order', 'Leave out the labels or the order.');
    if (labels.length < 2 || new Set(labels).size < labels.length)
      throw unfit('a classification needs two different labels at least', "Write them as in: 'news, sport, other'.");
    const [column] = adds;
    if (adds.length !== 1 || classOf(column?.type ?? '') !== 'text')
      throw unfit('a classification adds one column of text', 'Write the output as in: topic VARCHAR.');
    return 'classify';
  }
  if (top !== undefined) {
    if (adds.length > 1 || adds.some(({ type }) => type !== 'DOUBLE'))
      throw unfit('an order adds a score at most', 'Write the output as in: score DOUBLE.');
    return 'topk';
  }
  return adds.length === 0 ? 'filter' : 'map';
}

function unfit(problem: string, hint: string): FermataError {
  return new FermataError('BadArgument', `This cannot be planned: ${problem}.`, { hint });
}

function addedColumns(schema: Schema, wanted: readonly WantedColumn[]): Schema {
  return wanted.flatMap(({ name, type }): Schema => {
    const known = attributeOf(schema, name);
    if (known !== undefined) {
      if (type === undefined || isAssignable(known.type, type)) return [];
      throw new FermataError('TypeMismatch', `The input's column ${name} is ${known.type}, and ${type} is asked for.`, {
        where: { column: name },
        hint: 'Give the new column another name.',
      });
    }
    const names = schema.map((attribute) => attribute.name);
    if (clashes(schema, name)) throw unknownColumn(name, names, 'A name that differs in case alone is taken.');
    if (type !== undefined) return [{ name, type }];
    throw unknownColumn(name, names, 'A new column needs a type, as in: brand VARCHAR.');
  });
}

function unknownColumn(name: string, names: readonly string[], hint: string): FermataError {
  return new FermataError('UnknownColumn', `The input has no column "${name}".`, {
    where: { column: name },
    hint: `${didYouMean(name, names)} ${hint} It has ${names.join(', ')}.`.trim(),
  });
}

/** Every `{placeholder}` names a column that a task can read. */
function checkIntent(intent: string, inputs: readonly Input[]): void {
  const all = inputs.flatMap(({ schema }) => schema);
  for (const [, text = ''] of intent.matchAll(/\{([^{}]+)\}/g)) {
    const found = placeholderColumn(text.trim(), inputs);
    if (found === undefined)
      throw unknownColumn(
        text.trim(),
        all.map(({ name }) => name),
        'The intent names it.',
      );
    if (!isReadable(found))
      throw new FermataError(
        'TypeMismatch',
        `The intent names ${found.name}, whose type ${found.type} no task reads.`,
        {
          where: { column: found.name },
          hint: 'Tasks read texts, images and recordings. Declare media with --image or --audio; plain conditions belong into SQL.',
        },
      );
  }
  if (!all.some(isReadable))
    throw new FermataError('TypeMismatch', 'The input has no column that a task can read.', {
      hint: 'Tasks read texts, images and recordings. Declare media with --image or --audio.',
    });
}

function placeholderColumn(text: string, inputs: readonly Input[]): Attribute | undefined {
  const all = inputs.flatMap(({ schema }) => schema);
  const dot = text.lastIndexOf('.');
  if (dot < 0) return attributeOf(all, text);
  const input = inputs.find(({ name }) => name === text.slice(0, dot));
  return input === undefined ? undefined : attributeOf(input.schema, text.slice(dot + 1));
}

function isReadable({ type }: Attribute): boolean {
  return ['text', 'image', 'audio'].includes(classOf(type) ?? '');
}
