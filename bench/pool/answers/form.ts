/** The form of a reply: by a schema, by a JSON example in the prompt, or in plain words as the prompt spells them. */
import type { JsonValue } from '../../../plans/protocol/json.js';
import type { ChatRequest, Schema } from '../serve/request.js';
import type { Wanted } from '../truth/choose.js';
import { type Ask, factOf, lastUnit, optionsOf } from './ask.js';
import { isYesNo, labelFor } from './labels.js';
import { textOf } from './values.js';
import { jsonTokens, textTokens, type Token } from './written.js';

/** How yes and no are spelled, by what the prompt asks for; first that fits wins. */
const spellings: readonly { readonly asked: RegExp; readonly yes: string; readonly no: string }[] = [
  { asked: /Answer:\s*\[?\s*(True|False)/, yes: 'Answer: True', no: 'Answer: False' },
  { asked: /\bTRUE\b[\s\S]*\bFALSE\b/, yes: 'TRUE', no: 'FALSE' },
  { asked: /\bTrue\b[\s\S]*\bFalse\b/, yes: 'True', no: 'False' },
  { asked: /\bYES\b[\s\S]*\bNO\b/, yes: 'YES', no: 'NO' },
  { asked: /\bYes\b[\s\S]*\bNo\b/, yes: 'Yes', no: 'No' },
  { asked: /\b1 for yes\b[\s\S]*\b0 for no\b/, yes: '1', no: '0' },
  { asked: /\byes\b[\s\S]*\bno\b/, yes: 'yes', no: 'no' },
];
const plainSpelling = { yes: 'true', no: 'false' };

const spellingIn = (text: string) => spellings.find(({ asked }) => asked.test(text));

const isSentiment = (option: string): boolean => /^(?:positive|negative)$/i.test(option);

/** The kind of the answer that a schema or, without one, the prompt's spelling of yes and no asks for. */
export function wantedBy(schema: Schema | undefined, raw: string): Wanted {
  if (schema === undefined) return spellingIn(raw) === undefined ? 'any' : 'boolean';
  // a list of numbers or texts may be of ids, whatever the question's kind
  if (
    schema.items !== undefined &&
    schema.items.enum === undefined &&
    /number|integer|string/.test(String(schema.items.type))
  ) {
    return 'any';
  }
  const inner = schema.items ?? Object.values(schema.properties ?? {}).at(-1);
  const option = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null');
  const options = optionsOf(schema);
  if (option !== undefined) return wantedBy(option, raw);
  // positive and negative are labels of a sentiment before they are a verdict
  if (options !== undefined) return isYesNo(options) && !options.some(isSentiment) ? 'boolean' : 'label';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (inner === undefined) return 'any';
  const answer = schema.properties?.['answer'] ?? inner;
  return wantedBy(answer, raw);
}

const skeleton = /\{[^{}]*?"[\w -]+"\s*:[^{}]*\}/g;

/** Fields of the answer that a prompt lists by name: the last such list, examples come before. */
function listedFields(raw: string): readonly string[] {
  const block = Array.from(raw.matchAll(/OUTPUT FIELDS:\n((?:- \w+:.*\n)+)/g)).at(-1)?.[1];
  if (block !== undefined) return Array.from(block.matchAll(/^- (\w+):/gm), (match) => match[1] ?? '');
  const line = /JSON[^\n]* with the following fields: ([\w, ]+)\./.exec(raw)?.[1];
  return line === undefined ? [] : line.split(',').map((name) => name.trim());
}

/** A schema for the JSON example that a prompt shows, such as `{"answer": ["label", ...]}`; its values take any type. */
export function schemaFrom(request: ChatRequest, raw: string): Schema | undefined {
  const listed = listedFields(raw);
  const shown = request.system.match(skeleton)?.[0] ?? (request.json ? raw.match(skeleton)?.at(-1) : undefined);
  if (shown === undefined && listed.length === 0) {
    return request.json ? { type: 'object', properties: { answer: {} } } : undefined;
  }
  const keys = Array.from((shown ?? '').matchAll(/"([\w -]+)"\s*:/g), (match) => match[1] ?? '');
  const names = listed.length > 0 ? listed : keys;
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

/** Labels listed in the prompt, one a line after a dash, or as a JSON list. */
function listed(raw: string): readonly string[] {
  const lines = Array.from(raw.matchAll(/^\s*[-*] ([^:\n]+)/gm), (match) => (match[1] ?? '').trim());
  const lists = Array.from(raw.matchAll(/\[\s*("[^"\n]+"(?:\s*,\s*"[^"\n]+")+)\s*\]/g), (match) => match[1] ?? '');
  return [...lines, ...lists.flatMap((list) => Array.from(list.matchAll(/"([^"]+)"/g), (match) => match[1] ?? ''))];
}

/** With labels in the prompt's words and no schema, these are the options. */
function withLabels(ask: Ask): Schema {
  if (ask.task?.truth.rule !== 'field') return {};
  const fact = factOf(ask, lastUnit(ask));
  const values = Array.isArray(fact.value) ? (fact.value as readonly JsonValue[]) : [fact.value];
  const options = [...new Set(listed(ask.prompt.raw))];
  const label: Schema = { type: 'string', enum: options };
  if (options.length < 2 || values.every((value) => labelFor(value, fact, options) === undefined)) return {};
  return Array.isArray(fact.value) || ask.units.length > 1 ? { type: 'array', items: label } : label;
}

/** The reply in tokens. Throws `Unfillable`. */
export function replyTokens(ask: Ask, request: ChatRequest): readonly Token[] {
  if (request.schema !== undefined) return jsonTokens(ask.write(request.schema, ask));
  const shown = schemaFrom(request, ask.prompt.raw);
  if (shown !== undefined) {
    const properties = Object.entries(shown.properties ?? {}).map(([name, node]) =>
      name === 'answer' ? [name, withLabels(ask)] : [name, node],
    );
    return jsonTokens(ask.write({ type: 'object', properties: Object.fromEntries(properties) }, ask));
  }
  const spelling = spellingIn(ask.prompt.raw);
  const yesNo =
    ask.task !== undefined && ask.task.truth.rule === 'field' && spelling !== undefined && ask.units.length === 1;
  const written = ask.write(yesNo ? { type: 'boolean' } : withLabels(ask), ask);
  if (written.kind !== 'leaf') return jsonTokens(written);
  const { yes, no } = spelling ?? plainSpelling;
  return textTokens(written, (value) => (typeof value === 'boolean' ? (value ? yes : no) : (textOf(value) ?? 'null')));
}
