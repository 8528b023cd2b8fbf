/** Cheap signals of how hard a row may be: no inference, one pass over at most the first thousand characters. */
import type { JsonValue } from '../../protocol/json.js';

/** Features by column: `values[f][row]`. */
export interface FeatureTable {
  readonly names: readonly string[];
  readonly values: readonly Float64Array[];
  readonly rows: number;
}

/** Characters of a text that are looked at; its whole length is known anyhow. */
const looked = 1000;

const textNames = [
  'length',
  'words',
  'word length',
  'digits',
  'capitals',
  'marks',
  'foreign',
  'questions',
  'lines',
  'contrast',
] as const;

/** Words that turn a sentence round; `t` is what is left of "don't". By hash, since a look at each word must be cheap. */
const contrasts = new Set(
  'no not never none nor but however although unless without barely hardly t'.split(' ').map(hashOf),
);

function hashOf(word: string): number {
  return Array.from(word).reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0, 0);
}

const [other, space, lower, upper, digit] = [0, 1, 2, 3, 4];
/** Class of each ASCII character. */
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code <= 32) return space;
  if (code >= 97 && code <= 122) return lower;
  if (code >= 65 && code <= 90) return upper;
  return code >= 48 && code <= 57 ? digit : other;
});

/**
 * Features of texts: logarithms of counts and shares of characters, all of them numbers for any text. With an optional name in
 * front, so that tables of several columns can be joined.
 */
export function textFeatures(texts: readonly string[], of = ''): FeatureTable {
  const values = textNames.map(() => new Float64Array(texts.length));
  const features = new Float64Array(textNames.length);
  for (const [row, text] of texts.entries()) {
    describe(text, features);
    for (let at = 0; at < features.length; at++) (values[at] as Float64Array)[row] = features[at] as number;
  }
  return { names: textNames.map((name) => `${of}${name}`), values, rows: texts.length };
}

function describe(text: string, out: Float64Array): void {
  const end = Math.min(text.length, looked);
  let [words, letters, digits, capitals, marks, foreign, questions, lines, turns] = [0, 0, 0, 0, 0, 0, 0, 1, 0];
  let inWord = false;
  let hash = 0;
  for (let at = 0; at <= end; at++) {
    const code = at < end ? text.charCodeAt(at) : 32;
    const kind = code > 127 ? lower : (classes[code] as number);
    if (kind === lower || kind === upper) {
      letters += 1;
      hash = (Math.imul(hash, 31) + (code | 32)) | 0;
      if (kind === upper) capitals += 1;
      else if (code > 127) foreign += 1;
    } else {
      if (hash !== 0 && contrasts.has(hash)) turns += 1;
      hash = 0;
      if (kind === digit) digits += 1;
      else if (kind === other) marks += 1;
      if (code === 63) questions += 1;
      else if (code === 10) lines += 1;
    }
    if (kind !== space && !inWord) words += 1;
    inWord = kind !== space;
  }
  const looks = Math.max(1, end);
  out[0] = Math.log1p(text.length);
  out[1] = Math.log1p(words);
  out[2] = letters / Math.max(1, words);
  out[3] = digits / looks;
  out[4] = capitals / looks;
  out[5] = marks / looks;
  out[6] = foreign / looks;
  out[7] = Math.log1p(questions);
  out[8] = Math.log1p(lines);
  out[9] = Math.log1p(turns);
}

/**
 * Features of structured values: whether it is null, its sign and the logarithm of its size for numbers and dates as text, the
 * length of other values.
 */
export function valueFeatures(values: readonly JsonValue[], of: string): FeatureTable {
  const [absent, size, sign, length] = Array.from({ length: 4 }, () => new Float64Array(values.length)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (const [row, value] of values.entries()) {
    if (value === null) absent[row] = 1;
    else if (typeof value === 'number' || typeof value === 'boolean') {
      const number = Number.isFinite(Number(value)) ? Number(value) : 0;
      size[row] = Math.log1p(Math.abs(number));
      sign[row] = Math.sign(number);
    } else length[row] = Math.log1p(typeof value === 'string' ? value.length : JSON.stringify(value).length);
  }
  const names = ['absent', 'size', 'sign', 'length'].map((name) => `${of}${name}`);
  return { names, values: [absent, size, sign, length], rows: values.length };
}

/** Tables of the same rows beside each other. */
export function joinFeatures(tables: readonly FeatureTable[]): FeatureTable {
  const rows = tables[0]?.rows ?? 0;
  if (tables.some((table) => table.rows !== rows)) throw new RangeError('tables of different numbers of rows');
  return { names: tables.flatMap(({ names }) => names), values: tables.flatMap(({ values }) => values), rows };
}
