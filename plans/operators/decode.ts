/**
 * From a model's words to a value, for models that keep to a schema and for those that do not. Every way in either leaves
 * no doubt about what was meant or is a problem: a reply is never taken for "no" because it could not be read.
 */
import { type JsonValue, parseJson } from '../protocol/json.js';
import { decodeValue, fieldValue, isObject, readLabels } from './decode-value.js';
import type { Decoded } from './operator.js';
import type { OutputType } from './output.js';
import { jsonParts, withoutThoughts } from './reply-text.js';
import { no, readDate, readLabel, readLeadingVerdict, readNumber, readVerdict, shown } from './scalars.js';

/** Plain words are looked for in replies up to this length, in UTF-16 units; longer ones must hold JSON. */
const maxPlain = 8000;

/**
 * Reads a reply as an answer of a type. Free text stands as it is, without thoughts and outer white space. Everything
 * else is `{"answer": …}`, alone, in a code fence or in prose, or the bare value.
 *
 * @example
 * decodeAnswer('```json\n{"answer": "Yes"}\n```', { kind: 'boolean' }); // { ok: true, value: true }
 */
export function decodeAnswer(text: string, output: OutputType): Decoded {
  if (text.trim() === '') return no('The reply is empty.');
  if (output.kind === 'string') return decodeText(text);
  const exact = readExact(text.trim(), output);
  if (exact.ok) return exact;
  const reply = withoutThoughts(text)?.trim();
  if (reply === undefined || reply === '') return no('The reply holds thoughts but no answer.');
  const bare = reply === text.trim() ? exact : readExact(reply, output);
  return bare.ok ? bare : readLoose(reply, output, bare);
}

function decodeText(text: string): Decoded {
  const reply = withoutThoughts(text)?.trim();
  return reply === undefined || reply === ''
    ? no('The reply holds thoughts but no answer.')
    : { ok: true, value: reply };
}

/** The whole reply is JSON, or one bare value. */
function readExact(reply: string, output: OutputType): Decoded {
  const parsed = parseJson(reply);
  if (parsed.ok && typeof parsed.value === 'object') {
    const decoded = decodeReply(parsed.value, output);
    if (decoded.ok) return decoded;
    const bare = readBare(reply, output);
    return bare.ok ? bare : decoded;
  }
  const bare = readBare(reply, output);
  return !bare.ok && parsed.ok ? decodeValue(parsed.value, output) : bare;
}

/** JSON in prose, else Python-like spellings, else marked or leading words. */
function readLoose(reply: string, output: OutputType, exact: Decoded): Decoded {
  const parts = jsonParts(reply).map((part) => decodeReply(part, output));
  const answer = onlyOne(parts);
  if (answer !== undefined) return answer;
  if (reply.length <= maxPlain) {
    const plain =
      onlyOne(texts(reply, braced).map((word) => readBare(word, output))) ??
      onlyOne(texts(reply, marked).map((word) => readBare(word, output)));
    if (plain !== undefined) return plain;
    if (output.kind === 'boolean' && parts.length === 0) return readLeadingVerdict(reply);
  }
  return parts.find((part) => !part.ok) ?? exact;
}

/** `{'answer': True}`, `{answer: yes}`: no JSON, and clear. */
const braced = /\{\s*['"]?answer['"]?\s*[:=]\s*([^{}[\]\n]*?),?\s*\}/gi;
/** `Answer: yes` on a line of its own. */
const marked =
  /^[*_#> ]*(?:the )?(?:final )?(?:answer|verdict|result|label|category|score)(?: is)?[*_]*(?:[:=][*_]*| ) *(\S.*)$/gim;

function texts(reply: string, pattern: RegExp): readonly string[] {
  return Array.from(reply.matchAll(pattern), (match) => match[1]?.trim() ?? '');
}

/** The one answer among several readings; two that differ are a problem, none is undefined. */
function onlyOne(readings: readonly Decoded[]): Decoded | undefined {
  const values = new Map(
    readings
      .filter((reading) => reading.ok)
      .map((reading): [string, Decoded] => [JSON.stringify(reading.value), reading]),
  );
  if (values.size > 1) return no(`The reply holds ${values.size} different answers.`);
  return values.values().next().value;
}

function decodeReply(value: JsonValue, output: OutputType): Decoded {
  if (!isObject(value)) {
    return Array.isArray(value) === (output.kind === 'list')
      ? decodeValue(value, output)
      : no('The reply has no "answer".');
  }
  const answer = fieldValue(value, 'answer');
  const enveloped = answer === undefined ? no('The reply has no "answer".') : decodeValue(answer, output);
  if (enveloped.ok || output.kind !== 'struct') return enveloped;
  const open = decodeValue(value, output);
  return open.ok || answer === undefined ? open : enveloped;
}

/** A reply that is nothing but the value, in plain words. */
function readBare(reply: string, output: OutputType): Decoded {
  switch (output.kind) {
    case 'boolean':
      return readVerdict(reply);
    case 'integer':
    case 'number':
      return readNumber(reply, output);
    case 'date':
      return readDate(reply);
    case 'enum':
      return readLabel(reply, output.values);
    case 'list':
      return output.item.kind === 'enum' ? readLabels(reply, output.item) : no(`${shown(reply)} is not a list.`);
    case 'vector':
      return no(`${shown(reply)} is not a vector.`);
    case 'struct':
    case 'string':
      return no(`${shown(reply)} is not ${output.kind === 'struct' ? 'an object' : 'text'}.`);
  }
}
