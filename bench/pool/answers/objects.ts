/** Objects: every property by what its name says it is for. */
import type { Schema } from '../serve/request.js';
import { type Ask, factOf, lastUnit, plainSchema, Unfillable } from './ask.js';
import { judgeFact } from './judge.js';
import { leaf, type Written } from './written.js';

interface Role {
  readonly name: RegExp;
  readonly write: (node: Schema, ask: Ask) => Written;
}

/** First that fits the property's name wins; what is none of these is a field of the row, or else the answer itself. */
const roles: readonly Role[] = [
  {
    name: /^(reason|reasons|reasoning|explanation|rationale|why|justification|analysis|thoughts?)$/i,
    write: () => leaf('Simulated: answered from the registered truth.'),
  },
  {
    name: /^(confidence|probability|certainty|likelihood)$/i,
    write: (_, ask) => leaf(Number(judgeFact(ask.judge, factOf(ask, lastUnit(ask)), 2).confidence.toFixed(4))),
  },
  {
    name: /^(id|index|row|row_?id|key|item|number|n|i)$/i,
    write: ({ type }, ask) => {
      const { id } = lastUnit(ask);
      return leaf(type === 'string' || !Number.isFinite(Number(id)) ? id : Number(id));
    },
  },
];

const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The field of the row that a property names: the same name, or one within the other. */
function fieldNamed(ask: Ask, property: string): string | undefined {
  const fields = Object.keys(ask.units.at(-1)?.tuples.at(-1)?.fields ?? {});
  const wanted = fold(property);
  return (
    fields.find((field) => fold(field) === wanted) ??
    fields.find(
      (field) =>
        Math.min(fold(field).length, wanted.length) > 3 &&
        (fold(field).includes(wanted) || wanted.includes(fold(field))),
    )
  );
}

const answerNames =
  /^(answers?|results?|values?|verdicts?|labels?|scores?|output|match(es)?|decision|choice|ranking|order|ids)$/i;

export function writeObject(node: Schema, ask: Ask): Written {
  const names = Object.keys(node.properties ?? {});
  const entries = names.map((name): [string, Written] => [
    name,
    writeProperty(name, node.properties?.[name] ?? {}, ask),
  ]);
  return { kind: 'object', entries };
}

function writeProperty(name: string, schema: Schema, ask: Ask): Written {
  const { node, nullable } = plainSchema(schema, ask);
  const named = ask.units.find(({ id }) => id === name);
  if (named !== undefined && ask.units.length > 1) return ask.write(schema, { ...ask, units: [named] });
  const unit = ask.units.length > 1 ? ask.units.find(({ id }) => id === name.replace(/^\D+(?=\d)/, '')) : undefined;
  if (unit !== undefined && /\d$/.test(name)) return ask.write(schema, { ...ask, units: [unit] });
  const field = answerNames.test(name) ? undefined : fieldNamed(ask, name);
  if (field !== undefined) {
    const tuple = lastUnit(ask).tuples.at(-1);
    const collections: readonly [string] = [tuple?.collection ?? ''];
    // a question that is registered knows the scale of the field, and other words for its labels
    const asked = ask.truth.tasks.find(
      (one) => one.truth.rule === 'field' && one.truth.field === field && one.collections[0] === collections[0],
    );
    const task = asked ?? { key: `field ${field}`, collections, intent: [], truth: { rule: 'field', field } };
    return ask.write(schema, {
      ...ask,
      task,
      units: tuple === undefined ? [] : [{ id: lastUnit(ask).id, tuples: [tuple] }],
    });
  }
  const role = roles.find((candidate) => candidate.name.test(name));
  if (role !== undefined) return role.write(node, ask);
  if (ask.task === undefined && nullable) return leaf(null);
  if (ask.task === undefined && !answerNames.test(name))
    throw new Unfillable(`no truth for the property ${JSON.stringify(name)}`);
  return ask.write(schema, ask);
}
