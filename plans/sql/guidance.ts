/** Options that every prompt function takes: instructions, examples, and the wish for an explanation. */
import type { CallExample, CallGuidance } from '../operators/call.js';
import { exampleOutput } from '../operators/examples.js';
import { explained } from '../operators/explanation.js';
import type { OutputType } from '../operators/output.js';
import type { JsonValue } from '../protocol/json.js';
import type { CallArguments } from './arguments.js';
import { fault } from './fault.js';
import { booleanLiteral, jsonLiteral, listLiteral, stringLiteral, structLiteral, tupleLiteral } from './literals.js';
import type { InputDraft, Prompt } from './prompt.js';
import type { SqlNode } from './tree.js';

export const guidanceOptions = ['instructions', 'examples', 'explain'] as const;

/** What the options add to a call whose answers are of `answer`; an explanation changes the output. Throws `BadArgument`. */
export function readGuidance(
  { named }: CallArguments,
  { inputs }: Prompt,
  answer: OutputType,
): { readonly output: OutputType; readonly guidance?: CallGuidance } {
  const instructions = readInstructions(named.get('instructions'));
  const explain = readExplain(named.get('explain'));
  const examples = readExamples(named.get('examples'), { inputs, answer, explain });
  const output = explain ? explained(answer) : answer;
  if (instructions === undefined && examples === undefined && !explain) return { output };
  const guidance: CallGuidance = {
    ...(instructions === undefined ? {} : { instructions }),
    ...(examples === undefined ? {} : { examples }),
    ...(explain ? { explain } : {}),
  };
  return { output, guidance };
}

function readInstructions(node: SqlNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  const words = stringLiteral(node);
  if (words === undefined || words.trim() === '') {
    const hint = 'They are the same for every row; what a row says goes into the prompt.';
    throw fault('BadArgument', 'instructions must be a text literal', node, hint);
  }
  return words;
}

function readExplain(node: SqlNode | undefined): boolean {
  const value = node === undefined ? false : booleanLiteral(node);
  if (value === undefined) throw fault('BadArgument', 'explain is true or false', node);
  return value;
}

interface Wanted {
  readonly inputs: readonly InputDraft[];
  readonly answer: OutputType;
  readonly explain: boolean;
}

const hint = "examples: [{input: 'The brakes failed.', output: 'brakes'}, …]";

function readExamples(node: SqlNode | undefined, wanted: Wanted): readonly CallExample[] | undefined {
  if (node === undefined) return undefined;
  const items = listLiteral(node);
  if (items === undefined) throw fault('BadArgument', 'examples must be a list of structs', node, hint);
  if (items.length === 0) throw fault('BadArgument', 'the list of examples is empty', node, hint);
  const medium = wanted.inputs.find(({ modality }) => modality !== 'text');
  if (medium !== undefined) {
    throw fault('BadArgument', `examples are texts, and ${medium.label} is ${medium.modality}`, node);
  }
  return items.map((item) => readExample(item, wanted));
}

const outputNames = new Set(['output', 'answer', 'label', 'labels']);

/** `{input: …, output: … [, explanation: …]}`, or `(input, …, output)`. */
function readExample(item: SqlNode, wanted: Wanted): CallExample {
  const { inputs, named } = partsOf(item);
  const [output, second] = named.filter(([name]) => outputNames.has(name));
  if (output === undefined) throw fault('BadArgument', 'an example has no output', item, hint);
  if (second !== undefined) throw fault('BadArgument', 'an example has two outputs', second[1], hint);
  const explanation = readExplanation(named.find(([name]) => name === 'explanation')?.[1], item, wanted);
  return {
    inputs: orderInputs(inputs, item, wanted).map((value) => {
      const text = jsonLiteral(value);
      if (text === undefined || text === null || typeof text === 'object') {
        throw fault('BadArgument', 'an input of an example must be a literal', value, hint);
      }
      return String(text);
    }),
    output: readOutput(output[1], wanted.answer),
    ...(explanation === undefined ? {} : { explanation }),
  };
}

type Field = readonly [name: string, value: SqlNode];

/** The inputs by their name in lower case, and the other fields. */
function partsOf(item: SqlNode): { readonly inputs: readonly Field[]; readonly named: readonly Field[] } {
  const tuple = tupleLiteral(item);
  const last = tuple?.at(-1);
  if (tuple !== undefined && last !== undefined) {
    return { inputs: tuple.slice(0, -1).map((value) => ['', value] as const), named: [['output', last]] };
  }
  const fields = structLiteral(item)?.map(([name, value]): Field => [name.toLowerCase(), value]);
  if (fields === undefined) throw fault('BadArgument', 'an example must be a struct of literals', item, hint);
  const isInput = ([name]: Field): boolean => !outputNames.has(name) && name !== 'explanation';
  return { inputs: fields.filter(isInput), named: fields.filter((field) => !isInput(field)) };
}

/** The inputs in the order of the prompt's: by the names of its columns, by `input`, `input0`, `input1` …, or unnamed. */
function orderInputs(given: readonly Field[], item: SqlNode, { inputs }: Wanted): readonly SqlNode[] {
  const rows = inputs.map(({ label }, at) => {
    const column = label.split('.').at(-1)?.toLowerCase() ?? '';
    return given.filter(
      ([name], index) =>
        (name === '' ? index === at : name === column || name === `input${at}`) ||
        (name === 'input' && inputs.length === 1),
    );
  });
  const known = new Set(rows.flat());
  const strange = given.find((field) => !known.has(field));
  const usual = inputs.map(({ label }, at) => label.split('.').at(-1) || `input${at}`).join(', ');
  if (strange !== undefined) {
    const wanted = inputs.length === 1 ? `input, or ${usual}` : usual;
    const what = strange[0] === '' ? 'too many inputs' : `"${strange[0]}", which is no input of the call`;
    throw fault('BadArgument', `an example has ${what}`, strange[1], `Its inputs: ${wanted}.`);
  }
  return rows.map(([field, twice]) => {
    if (field === undefined) throw fault('BadArgument', 'an example lacks an input', item, `Its inputs: ${usual}.`);
    if (twice !== undefined) throw fault('BadArgument', 'an example gives an input twice', twice[1]);
    return field[1];
  });
}

/** The output in the form that the prompt shows; `labels: ['x']` is one label where one is asked for. */
function readOutput(node: SqlNode, answer: OutputType): JsonValue {
  const written = jsonLiteral(node);
  if (written === undefined) throw fault('BadArgument', 'the output of an example must be a literal', node, hint);
  const list = Array.isArray(written) ? (written as readonly JsonValue[]) : [];
  const value = answer.kind === 'enum' && list.length === 1 ? (list[0] ?? null) : written;
  const output = exampleOutput(value, answer);
  if (!output.ok) throw fault('BadArgument', `an example does not fit the answer: ${output.problem}`, node);
  return output.value;
}

function readExplanation(node: SqlNode | undefined, item: SqlNode, { explain }: Wanted): string | undefined {
  const words = stringLiteral(node);
  if (node !== undefined && (words === undefined || words.trim() === '')) {
    throw fault('BadArgument', 'an explanation must be a text literal', node);
  }
  if (explain && words === undefined) {
    const why = "{input: '…', output: '…', explanation: '…'}";
    throw fault('BadArgument', 'with explain, every example needs an explanation', item, why);
  }
  return words;
}
