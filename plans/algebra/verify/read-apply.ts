import type { JsonValue } from '../../protocol/json.js';
import { attributeOf, clashes, type Schema } from '../../relation/schema.js';
import { type AttributeType, isAnswerType, isAssignable, normalizeType } from '../../relation/types.js';
import { didYouMean } from '../../sql/nearest.js';
import type { Param, ParamKind, Task } from '../../tasks/task.js';
import { cardinalityOf } from '../../tasks/task.js';
import { outputTypes } from '../build.js';
import type { Binding, Operator, Output, Placeholder } from '../operator.js';
import { schemaOf } from '../walk.js';
import type { Reading } from './context.js';
import { draftLimits, type Fields, goodName, isFields, isTexts, short } from './draft.js';
import type { Reporter } from './issue.js';

/** Reads an `Apply`: its task, bindings, parameters and the names of its outputs. */
export function readApply({ fields, inputs, context, report }: Reading): Operator | undefined {
  const [input] = inputs;
  const name = typeof fields['task'] === 'string' ? fields['task'] : '';
  const task = context.catalog.get(name) ?? placeholderTask(name, fields, report);
  if (task === undefined) {
    const names = [...context.catalog.keys()];
    const near = didYouMean(name.slice(0, draftLimits.nameCharacters), names);
    report(
      'unknown-task',
      'task',
      `there is no task ${short(fields['task'])}`,
      `${near} The tasks are: ${names.join(', ')}.`.trim(),
    );
    return undefined;
  }
  const placeholder = context.catalog.has(name) ? undefined : signatureOf(task);
  if (placeholder !== undefined && context.placeholders !== true) {
    report(
      'ungrounded-task',
      'task',
      `'${name.slice(0, 80)}' is in no catalog`,
      'Write it with the tasks of the catalog.',
    );
  }
  const schema = input === undefined ? undefined : schemaOf(input);
  const params = readParams(fields['params'], task, report);
  const bind = readBindings(fields['bind'], task, schema, report);
  checkLabels(task, isFields(fields['params']) ? fields['params'] : {}, bind, report);
  const outputs = readOutputs(fields['as'], task, params, schema, report);
  if (input === undefined) return undefined;
  return {
    kind: 'apply',
    input,
    task: task.name,
    bind,
    params,
    outputs,
    cardinality: cardinalityOf(task, params),
    ...(placeholder === undefined ? {} : { placeholder }),
  };
}

/** A task of no catalog that declares its signature (CADENZA §4.2.1). */
function placeholderTask(name: string, fields: Fields, report: Reporter): Task | undefined {
  const { signature } = fields;
  if (!isFields(signature) || !goodName(name, 'task', report)) return undefined;
  const inputs = typesIn(signature['inputs'], report);
  const outputs = typesIn(signature['outputs'], report);
  if (inputs === undefined || outputs === undefined) {
    report(
      'malformed',
      'signature',
      'a signature needs inputs and outputs',
      'Write {"inputs": {"text": "Text"}, "outputs": {"Score": "DOUBLE"}}.',
    );
    return undefined;
  }
  const { description } = signature;
  return {
    name,
    modality: 'text',
    category: 'attributive',
    description: typeof description === 'string' ? description.slice(0, draftLimits.paramCharacters) : '',
    inputs: Object.fromEntries(Object.entries(inputs).map(([slot, type]) => [slot, { type }])),
    outputs,
    prompt: [],
  };
}

function signatureOf(task: Task): Placeholder {
  const inputs = Object.fromEntries(Object.entries(task.inputs).map(([slot, { type }]) => [slot, type]));
  return { inputs, outputs: task.outputs, description: task.description };
}

function typesIn(value: JsonValue | undefined, report: Reporter): Readonly<Record<string, AttributeType>> | undefined {
  if (!isFields(value) || Object.keys(value).length === 0 || Object.keys(value).length > 20) return undefined;
  const types: (readonly [string, AttributeType])[] = [];
  for (const [name, given] of Object.entries(value)) {
    const type = typeof given === 'string' ? normalizeType(given) : undefined;
    if (type === undefined)
      report(
        'malformed',
        'signature',
        `${short(given)} is not a type`,
        'Types are Text, Image, Audio, Vector and those of DuckDB.',
      );
    else if (goodName(name, 'signature', report)) types.push([name, type]);
  }
  return Object.fromEntries(types);
}

const paramChecks: Readonly<Record<ParamKind, (value: JsonValue) => boolean>> = {
  text: (value) => typeof value === 'string' && value.trim() !== '',
  texts: (value) => isTexts(value) && value.length > 0,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  flag: (value) => typeof value === 'boolean',
  type: (value) => typeof value === 'string' && isAnswerType(normalizeType(value) ?? ''),
};

const paramNames: Readonly<Record<ParamKind, string>> = {
  text: 'a text',
  texts: 'a list of texts',
  number: 'a number',
  flag: 'true or false',
  type: 'the type of an answer: VARCHAR, DOUBLE, BIGINT, BOOLEAN, DATE, or a list of one',
};

function readParams(value: JsonValue | undefined, task: Task, report: Reporter): Readonly<Record<string, JsonValue>> {
  const given = value ?? {};
  const wanted: Readonly<Record<string, Param>> = task.params ?? {};
  if (!isFields(given)) {
    report(
      'bad-parameter',
      'params',
      "'params' is not a JSON object",
      `Write {${Object.keys(wanted)
        .map((name) => `"${name}": …`)
        .join(', ')}}.`,
    );
    return {};
  }
  if (JSON.stringify(given).length > draftLimits.paramCharacters) {
    report(
      'too-large',
      'params',
      'the parameters are too long',
      `At most ${draftLimits.paramCharacters} characters are read.`,
    );
    return {};
  }
  const found: (readonly [string, JsonValue])[] = [];
  for (const [name, item] of Object.entries(given)) {
    const param = Object.hasOwn(wanted, name) ? wanted[name] : undefined;
    if (param === undefined) {
      const names = Object.keys(wanted);
      report(
        'bad-parameter',
        'params',
        `${task.name} has no parameter '${name.slice(0, 80)}'`,
        names.length === 0 ? 'It takes none.' : `It takes: ${names.join(', ')}.`,
      );
    } else if (!paramChecks[param.kind](item)) {
      report(
        'bad-parameter',
        `params.${name}`,
        `${short(item)} is not ${paramNames[param.kind]}`,
        `'${name}' is ${param.description}.`,
      );
    } else found.push([name, param.kind === 'type' && typeof item === 'string' ? (normalizeType(item) ?? item) : item]);
  }
  for (const [name, param] of Object.entries(wanted)) {
    if (param.required !== true || Object.hasOwn(given, name)) continue;
    report('bad-parameter', 'params', `${task.name} needs '${name}'`, `It is ${param.description}.`);
  }
  return Object.fromEntries(found);
}

function readBindings(
  value: JsonValue | undefined,
  task: Task,
  schema: Schema | undefined,
  report: Reporter,
): Readonly<Record<string, Binding>> {
  const given = value ?? {};
  const slots = Object.entries(task.inputs);
  const form = `Write {${slots.map(([name, { type }]) => `"${name}": "<an attribute of type ${type}>"`).join(', ')}}.`;
  if (!isFields(given)) {
    report('malformed', 'bind', "'bind' is not a JSON object", form);
    return {};
  }
  const found: (readonly [string, Binding])[] = [];
  for (const [slot, item] of Object.entries(given)) {
    const wanted = Object.hasOwn(task.inputs, slot) ? task.inputs[slot] : undefined;
    const binding = bindingFrom(item);
    if (wanted === undefined) {
      report('missing-attribute', 'bind', `${task.name} has no input '${slot.slice(0, 80)}'`, form);
    } else if (binding === undefined) {
      report(
        'malformed',
        `bind.${slot}`,
        `${short(item)} is not a binding`,
        'Name an attribute, or write {"text": "a constant"}.',
      );
    } else {
      checkBinding(slot, binding, wanted.type, schema, report);
      found.push([slot, binding]);
    }
  }
  for (const [slot, { optional }] of slots) {
    if (optional === true || Object.hasOwn(given, slot)) continue;
    report('missing-attribute', 'bind', `${task.name} needs its input '${slot}'`, form);
  }
  return Object.fromEntries(found);
}

function bindingFrom(item: JsonValue): Binding | undefined {
  if (typeof item === 'string') return { attribute: item };
  if (!isFields(item)) return undefined;
  const { text } = item;
  return typeof text === 'string' && text.length <= draftLimits.paramCharacters ? { text } : undefined;
}

function checkBinding(
  slot: string,
  binding: Binding,
  wanted: AttributeType,
  schema: Schema | undefined,
  report: Reporter,
): void {
  if ('text' in binding) {
    if (!isAssignable('Text', wanted))
      report(
        'type-mismatch',
        `bind.${slot}`,
        `a constant text is given for ${wanted}`,
        'Name an attribute of that type.',
      );
    return;
  }
  if (schema === undefined) return;
  const found = attributeOf(schema, binding.attribute);
  const fitting = schema.filter(({ type }) => isAssignable(type, wanted)).map(({ name }) => name);
  const ways =
    fitting.length === 0
      ? `There is no attribute of type ${wanted} here.`
      : `Attributes of type ${wanted} here: ${fitting.join(', ')}.`;
  if (found === undefined) {
    const name = binding.attribute.slice(0, 80);
    report(
      'missing-attribute',
      `bind.${slot}`,
      `there is no attribute '${name}' here`,
      `${didYouMean(name, fitting)} ${ways}`.trim(),
    );
  } else if (!isAssignable(found.type, wanted)) {
    report('type-mismatch', `bind.${slot}`, `'${found.name}' is ${found.type}, and ${wanted} is needed`, ways);
  }
}

/** A classifier needs labels: as a parameter, or from an attribute. */
function checkLabels(
  task: Task,
  params: Readonly<Record<string, JsonValue>>,
  bind: Readonly<Record<string, Binding>>,
  report: Reporter,
): void {
  if (task.params?.['labels'] === undefined || !('Label' in task.outputs) || 'BBox' in task.outputs) return;
  if (params['labels'] !== undefined || bind['choices'] !== undefined) return;
  report('bad-parameter', 'params', `${task.name} is given no labels`, 'Set "labels" to the labels to choose from.');
}

function readOutputs(
  value: JsonValue | undefined,
  task: Task,
  params: Readonly<Record<string, JsonValue>>,
  schema: Schema | undefined,
  report: Reporter,
): readonly Output[] {
  const names = isFields(value ?? {}) ? ((value ?? {}) as Fields) : {};
  if (!isFields(value ?? {})) report('malformed', 'as', "'as' is not a JSON object", 'Write {"Answer": "brand"}.');
  for (const [from, name] of Object.entries(names)) {
    if (!Object.hasOwn(task.outputs, from)) {
      report(
        'missing-attribute',
        'as',
        `${task.name} makes no '${from.slice(0, 80)}'`,
        `It makes: ${Object.keys(task.outputs).join(', ')}.`,
      );
    } else if (typeof name !== 'string')
      report('malformed', 'as', `${short(name)} is not a name`, 'Write {"Answer": "brand"}.');
  }
  const made: Output[] = [];
  for (const [from, type] of outputTypes(task, params)) {
    const given = Object.hasOwn(names, from) ? names[from] : undefined;
    const name = typeof given === 'string' && goodName(given, 'as', report) ? given : from;
    if (clashes([...(schema ?? []), ...made], name)) {
      report(
        'duplicate-name',
        'as',
        `there is an attribute '${name}' already`,
        `Name it otherwise: "as": {"${from}": "${name}_2"}.`,
      );
    }
    made.push({ from, name, type });
  }
  return made;
}
