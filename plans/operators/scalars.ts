/** Reading one plain word, label, number or date as models spell them. Nothing here guesses: in doubt it is a problem. */
import type { Decoded } from './operator.js';
import type { OutputType } from './output.js';

/** Yes and no in languages that models answer in, when the data are in them; no spelling stands for both. */
const verdicts = new Map<string, boolean>([
  ...'true yes y t 1 1.0 correct ✓ ✔ ✅ ja oui sí si sì sim да tak ano evet 是 是的 对 真 はい 예 네'
    .split(' ')
    .map((word): [string, boolean] => [word, true]),
  ...'false no n f 0 0.0 incorrect ✗ ✘ ❌ nein non não nej nei nee нет nie ne hayır 否 不是 不 假 いいえ 아니요 아니오'
    .split(' ')
    .map((word): [string, boolean] => [word, false]),
]);

const plainVerdict = /^(true|yes|correct|false|no|incorrect)$/;
const quotes = /^[\s"'`*_“”‘’«»([{]+|[\s"'`*_“”‘’«»)\]}.,;:!。！]+$/gu;

/** Longer texts are no word; the bound keeps the patterns below quick on any input. */
const maxWord = 1000;

/** Takes quotes, emphasis, brackets around a word and punctuation after it away. */
export function bareWord(text: string): string {
  return text.length > maxWord ? text : text.normalize('NFKC').replace(quotes, '');
}

/** A text that is nothing but a verdict. */
export function readVerdict(text: string): Decoded {
  const verdict = verdicts.get(bareWord(text).toLowerCase());
  return verdict === undefined ? no(`${shown(text)} is neither true nor false.`) : { ok: true, value: verdict };
}

/**
 * A verdict followed by an explanation ("No, it was parked."). Only an English word counts, with punctuation behind it
 * ("No crash…" is no verdict), and nothing after it may say the contrary.
 */
export function readLeadingVerdict(text: string): Decoded {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const first = /^["'`*_\s]*([a-z]+)["'`*_]*\s*(?:[.,;:!\n]|[-–—]\s)/i.exec(text)?.[1]?.toLowerCase();
  if (first !== undefined && plainVerdict.test(first)) {
    const value = verdicts.get(first);
    const contrary = words.some((word) => plainVerdict.test(word) && verdicts.get(word) !== value);
    if (value !== undefined && !contrary) return { ok: true, value };
  }
  return no(`${shown(text)} is no clear true or false.`);
}

const plainNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const groupedNumber = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/;
const share = /^([+-]?\d+(?:\.\d+)?)\s*(?:\/|out of)\s*(\d+(?:\.\d+)?)$/i;

/** A number in English notation; a unit or a comma for a point is a problem, since both change what it means. */
export function readNumber(text: string, type: Extract<OutputType, { kind: 'integer' | 'number' }>): Decoded {
  const word = bareWord(text).replace('−', '-');
  if (plainNumber.test(word)) return checkNumber(Number(word), type);
  if (groupedNumber.test(word)) return checkNumber(Number(word.replaceAll(',', '')), type);
  const [, points, best] = share.exec(word) ?? [];
  if (type.kind === 'number' && type.max !== undefined && Number(best) === type.max) {
    return checkNumber(Number(points), type);
  }
  return no(`${shown(text)} is not ${type.kind === 'integer' ? 'an integer' : 'a number'}.`);
}

/** Out of range is a problem, never cut to the range. */
export function checkNumber(value: number, type: Extract<OutputType, { kind: 'integer' | 'number' }>): Decoded {
  if (!Number.isFinite(value)) return no('The number is too large.');
  if (type.kind === 'integer') {
    if (!Number.isInteger(value)) return no(`${value} is not an integer.`);
    if (!Number.isSafeInteger(value)) return no(`${value} is too large for an exact integer.`);
  } else if ((type.min !== undefined && value < type.min) || (type.max !== undefined && value > type.max)) {
    return no(`${value} is not in the range from ${type.min ?? '-∞'} to ${type.max ?? '∞'}.`);
  }
  return { ok: true, value: value === 0 ? 0 : value };
}

const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}.*)?$/;

/** A date as YYYY-MM-DD that is in the calendar; the time of a time stamp is left out. */
export function readDate(text: string): Decoded {
  const match = isoDate.exec(bareWord(text));
  if (match !== null) {
    const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
    const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    const last = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
    if (year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= last) {
      return { ok: true, value: match.slice(1, 4).join('-') };
    }
  }
  return no(`${shown(text)} is not a date as YYYY-MM-DD.`);
}

/** A label as it stands, or the only one that is the same but for case, white space, quotes and punctuation around it. */
export function readLabel(text: string, labels: readonly string[]): Decoded {
  if (labels.includes(text)) return { ok: true, value: text };
  for (const fold of [(s: string) => s.trim(), foldLabel]) {
    const same = labels.filter((label) => fold(label) === fold(text));
    if (same.length === 1 && same[0] !== undefined) return { ok: true, value: same[0] };
    if (same.length > 1) return no(`${shown(text)} could be ${same.map((s) => JSON.stringify(s)).join(' or ')}.`);
  }
  return no(`${shown(text)} is not one of the labels.`);
}

function foldLabel(text: string): string {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/gu, ' ');
  const bare = bareWord(folded);
  return bare === '' ? folded : bare;
}

export function no(problem: string): Decoded {
  return { ok: false, problem };
}

/** The beginning of a reply, quoted for a message. */
export function shown(text: string): string {
  const short = text.trim();
  return JSON.stringify(short.length > 60 ? `${short.slice(0, 60)}…` : short);
}
