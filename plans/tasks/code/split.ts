import { cutText } from '../../physical/chunk/cut.js';
import { type JsonValue, parseJson } from '../../protocol/json.js';

const units = ['sentence', 'paragraph', 'page', 'field'] as const;
type Unit = (typeof units)[number];

/** Most tokens of a page, and of a paragraph before it is cut in pieces: what a small model reads well. */
const most = { page: 800, paragraph: 1_200 } as const;

export function isUnit(value: JsonValue | undefined): value is Unit {
  return (units as readonly (JsonValue | undefined)[]).includes(value);
}

/** The parts of a text in order, without those that are white space alone: nothing else is left out. */
export function split(text: string, unit: Unit): readonly string[] {
  return splitters[unit](text)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

const splitters: Readonly<Record<Unit, (text: string) => readonly string[]>> = {
  sentence: (text) => text.split(/(?<=[.!?…]["'”’»)\]]*\s+)(?=\S)|(?<=[。！？][”’」』]*)(?=[^”’」』])|\n+/u),
  paragraph: (text) => text.split(/\n[^\S\n]*(?:\n[^\S\n]*)+/u).flatMap((part) => pieces(part, most.paragraph)),
  page: (text) => text.split('\f').flatMap((part) => pieces(part, most.page)),
  field: fields,
};

function pieces(text: string, tokens: number): readonly string[] {
  return cutText(text, tokens).map((part) => part.text);
}

/** The fields of a JSON object, each with its path, or the items of a list; a text that is no JSON is cut into paragraphs. */
function fields(text: string): readonly string[] {
  const parsed = parseJson(text);
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return splitters.paragraph(text);
  return fieldTexts('', parsed.value);
}

function fieldTexts(path: string, value: JsonValue): readonly string[] {
  if (typeof value !== 'object' || value === null || isFlat(value))
    return [`${path}${path === '' ? '' : ': '}${typeof value === 'string' ? value : JSON.stringify(value)}`];
  const entries: readonly (readonly [string, JsonValue])[] = Array.isArray(value)
    ? (value as readonly JsonValue[]).map((item, at) => [`[${at}]`, item])
    : Object.entries(value);
  return entries.flatMap(([key, item]) =>
    fieldTexts(path === '' || key.startsWith('[') ? `${path}${key}` : `${path}.${key}`, item),
  );
}

/** A list of plain values is one field. */
function isFlat(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
}
