/** What else is told of a text without asking a model: its script or language, how varied its letters are, which words it has. */

/** Characters of a text that are looked at. */
const looked = 1000;

function wordsOf(text: string): readonly string[] {
  return (
    text
      .slice(0, looked)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

const scripts = [
  ['cyrillic', /\p{Script=Cyrillic}/gu],
  ['greek', /\p{Script=Greek}/gu],
  ['kana', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['han', /\p{Script=Han}/gu],
  ['hangul', /\p{Script=Hangul}/gu],
  ['arabic', /\p{Script=Arabic}/gu],
  ['hebrew', /\p{Script=Hebrew}/gu],
  ['devanagari', /\p{Script=Devanagari}/gu],
  ['thai', /\p{Script=Thai}/gu],
  ['latin', /\p{Script=Latin}/gu],
] as const;

/** Short words that are frequent in one of these languages and rare in the others. */
const languages: Readonly<Record<string, readonly string[]>> = {
  english: ['the', 'and', 'of', 'to', 'is', 'was', 'with', 'for', 'it', 'that', 'this', 'not', 'have', 'you'],
  german: ['der', 'und', 'ist', 'nicht', 'das', 'ein', 'eine', 'mit', 'auf', 'den', 'von', 'zu', 'ich', 'sich'],
  french: ['le', 'les', 'des', 'est', 'et', 'une', 'dans', 'pour', 'pas', 'qui', 'du', 'je', 'il', 'vous'],
  spanish: ['el', 'los', 'las', 'y', 'es', 'una', 'por', 'con', 'para', 'muy', 'como', 'pero', 'lo', 'su'],
  italian: ['il', 'gli', 'di', 'che', 'non', 'è', 'sono', 'della', 'per', 'anche', 'più', 'ma', 'ho', 'si'],
  portuguese: ['os', 'não', 'um', 'uma', 'em', 'com', 'mais', 'muito', 'foi', 'são', 'ao', 'eu', 'mas', 'isso'],
  dutch: ['het', 'een', 'van', 'niet', 'ik', 'op', 'voor', 'maar', 'ook', 'zijn', 'dat', 'te', 'aan', 'bij'],
};
const languageOf = new Map(
  Object.entries(languages).flatMap(([language, words]) => words.map((word) => [word, language] as const)),
);

/** Language where short words give it away, else the script of most letters; `none` for a text without letters. */
export function kindOf(text: string): string {
  const start = text.slice(0, looked);
  const [script, letters] = most(scripts.map(([name, of]) => [name, start.match(of)?.length ?? 0]));
  if (letters === 0) return /\p{L}/u.test(start) ? 'other' : 'none';
  if (script !== 'latin') return script;
  const found = new Map<string, number>();
  for (const word of wordsOf(start)) {
    const language = languageOf.get(word);
    if (language !== undefined) found.set(language, (found.get(language) ?? 0) + 1);
  }
  const [language, words] = most([...found]);
  return words >= 2 ? language : 'latin';
}

/** The first of those that come most often; `none` of nothing. */
function most(counted: readonly (readonly [string, number])[]): readonly [string, number] {
  return counted.reduce<readonly [string, number]>((best, one) => (one[1] > best[1] ? one : best), ['none', 0]);
}

/** Bits a character: 0 for a text of one letter. Of at most the first thousand characters; all digits are one. */
export function entropyOf(text: string): number {
  const start = text.slice(0, looked).replace(/\p{N}/gu, '0');
  const counts = new Map<string, number>();
  for (const letter of start) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts.values()].reduce((bits, count) => bits - (count / all) * Math.log2(count / all), 0);
}

const dimensions = 48;

/**
 * Words of a text as a unit vector, each at a place that its hash says; zeros without words. All numbers are one word, so that
 * identifiers do not tell apart what is alike. Texts of the same words are near each other, whatever their order.
 */
export function wordVector(text: string): readonly number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of wordsOf(text)) {
    const hash = hashOf(word.replace(/\p{N}+/gu, '0'));
    const place = hash % dimensions;
    vector[place] = (vector[place] ?? 0) + ((hash >>> 16) & 1 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}
