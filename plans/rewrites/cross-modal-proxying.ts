import { applyTask, outputName, select, union } from '../algebra/build.js';
import { call, column, compare, type Expression, literal, not, threshold } from '../algebra/expression.js';
import type { Apply, Binding, Operator } from '../algebra/operator.js';
import { schemaOf } from '../algebra/walk.js';
import { freeName } from '../relation/schema.js';
import { classOf } from '../relation/types.js';
import type { Catalog, Task } from '../tasks/task.js';
import type { Rule } from './rule.js';
import { conform } from './shape.js';

/** Shortest text that a conversion may give and still count as one, in characters. */
const leastCharacters = 3;

/**
 * Template 2 (CADENZA §4.3.2, equation 2): Apply_img(r) ⇝ Apply_txt(Apply_c(r)). Each conversion of the catalog gives a
 * plan, and a second one that sends tuples whose text is empty or doubtful to the task on the original.
 */
export const crossModalProxying: Rule = {
  name: 'cross-modal-proxying',
  kind: 'alternative',
  why: 'images or audio are turned into text once, and a cheaper text task decides; doubtful ones may go back to the original',
  matches: ['apply'],
  apply: (operator, { catalog }) => {
    if (operator.kind !== 'apply') return [];
    const textual = catalog.get(operator.task)?.traits?.textual;
    const target = textual === undefined ? undefined : catalog.get(textual.task);
    if (textual === undefined || target === undefined) return [];
    return conversionsFor(operator, catalog).flatMap((conversion) =>
      proxies(operator, catalog, conversion, target, textual.inputs),
    );
  },
};

/** Conversions that read what the task reads. */
function conversionsFor(operator: Apply, catalog: Catalog): readonly Task[] {
  const slots = catalog.get(operator.task)?.inputs ?? {};
  const types = new Set(Object.keys(operator.bind).map((slot) => slots[slot]?.type));
  return [...catalog.values()].filter(
    ({ traits, inputs }) => traits?.converts !== undefined && types.has(inputs[traits.converts.input]?.type),
  );
}

function proxies(
  operator: Apply,
  catalog: Catalog,
  conversion: Task,
  target: Task,
  inputs: Readonly<Record<string, string>>,
): readonly Operator[] {
  const converted = convert(operator, catalog, conversion, inputs);
  if (converted === undefined) return [];
  const { input, bind, conversions } = converted;
  const reader = onText(operator, target, bind);
  if (reader === undefined) return [];
  const schema = schemaOf(operator);
  const plain = conform(reader(input), schema);
  const [only] = conversions;
  if (only === undefined || conversions.length > 1) return [plain];
  const good = isUsable(only, conversion);
  const back: Operator = { ...operator, input: select(input, not(good)) };
  return [plain, union(conform(reader(select(input, good)), schema), conform(back, schema))];
}

interface Converted {
  readonly input: Operator;
  readonly bind: Readonly<Record<string, Binding>>;
  readonly conversions: readonly Apply[];
}

/** Converts every image or clip that the task reads; texts are passed on. */
function convert(
  operator: Apply,
  catalog: Catalog,
  conversion: Task,
  inputs: Readonly<Record<string, string>>,
): Converted | undefined {
  const slots = catalog.get(operator.task)?.inputs ?? {};
  const from = conversion.traits?.converts;
  if (from === undefined) return undefined;
  const wanted = conversion.inputs[from.input]?.type;
  let { input } = operator;
  const bind: Record<string, Binding> = {};
  const conversions: Apply[] = [];
  for (const [slot, binding] of Object.entries(operator.bind)) {
    const to = inputs[slot];
    const type = slots[slot]?.type ?? '';
    // a box within an image means nothing to its text
    if (to === undefined && classOf(type) === 'nested') continue;
    if (to === undefined || bind[to] !== undefined) return undefined;
    if (type !== wanted) {
      if (classOf(type) === 'image' || classOf(type) === 'audio') return undefined;
      bind[to] = binding;
      continue;
    }
    if (!('attribute' in binding)) return undefined;
    const taken = [...schemaOf(input), ...operator.outputs];
    const as = Object.fromEntries(Object.keys(conversion.outputs).map((name) => [name, freeName(taken, name)]));
    const made = applyTask(conversion, input, {
      bind: { [from.input]: binding, ...regionOf(operator, conversion) },
      params: focusOf(operator, conversion),
      as,
    });
    conversions.push(made);
    input = made;
    bind[to] = { attribute: outputName(made, from.output) };
  }
  return conversions.length === 0 ? undefined : { input, bind, conversions };
}

function regionOf({ bind }: Apply, conversion: Task): Readonly<Record<string, Binding>> {
  const region = bind['region'];
  return region !== undefined && conversion.inputs['region'] !== undefined ? { region } : {};
}

function focusOf({ params }: Apply, conversion: Task): Readonly<Record<string, string>> {
  const { question } = params;
  return typeof question === 'string' && conversion.params?.['focus'] !== undefined ? { focus: question } : {};
}

/** The task on text, its outputs under the names that the original's have; undefined when it lacks one. */
function onText(
  operator: Apply,
  target: Task,
  bind: Readonly<Record<string, Binding>>,
): ((input: Operator) => Apply) | undefined {
  if (!operator.outputs.every(({ from }) => from in target.outputs)) return undefined;
  const params = Object.fromEntries(
    Object.entries(operator.params).filter(([name]) => target.params?.[name] !== undefined),
  );
  const as = Object.fromEntries(operator.outputs.map(({ from, name }) => [from, name]));
  return (input) => applyTask(target, input, { bind, params, as });
}

/** Never NULL, so that a tuple goes one way or the other. */
function isUsable(conversion: Apply, { traits, outputs }: Task): Expression {
  const text = outputName(conversion, traits?.converts?.output ?? '');
  const long = compare(call('length', column(text)), '>=', literal(leastCharacters));
  const sure = 'Score' in outputs ? [compare(column(outputName(conversion, 'Score')), '>=', threshold(0.5))] : [];
  return call('coalesce', sure.length === 0 ? long : { kind: 'and', items: [long, ...sure] }, literal(false));
}
