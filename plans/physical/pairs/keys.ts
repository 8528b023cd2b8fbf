/**
 * Joins by map-then-match: each value is asked once, by itself, for the short keys by which its partners would be known, and
 * the keys are compared. n + m questions stand in the place of n · m.
 */
import type { SemanticCall } from '../../operators/call.js';
import { parseTemplate } from '../../operators/template.js';
import type { JsonValue } from '../../protocol/json.js';

/** What a prompt calls the two relations of a pair. */
export const sideNames = ['A', 'B'] as const;

/** Keys of one value that count; what a model lists behind them is more guess than key. */
const mostKeys = 5;
/** UTF-16 units of a key that count. */
const longestKey = 200;

/** The call that asks one value for its keys. Inputs: the side's name, and the value. */
export function keyCall(call: SemanticCall): SemanticCall {
  const { id, role, position } = call;
  const instructions = call.guidance?.instructions;
  return {
    ...{ id, role, position, parameters: { kind: 'complete' } },
    template: [
      `A record of table A and a record of table B are joined if this is answered with yes: ${questionOf(call)}`,
      'One record of table {0}, by itself, is {1}.',
      'What would a record of the other table have to share with it? Write the shortest key that both would be given: a name, a kind, a number, in small letters.',
      'Write several keys only if each would do by itself, and none if the record tells nothing that decides.',
    ].join('\n'),
    inputs: ['table', 'record'].map((label) => ({ sql: '', label, modality: 'text' })),
    output: { kind: 'list', item: { kind: 'string' } },
    ...(instructions === undefined ? {} : { guidance: { instructions } }),
  };
}

/** The intent, with the names of the two tables where the values stand. */
function questionOf({ template, inputs, pair }: SemanticCall): string {
  const text = parseTemplate(template)
    .map((piece) => {
      if ('text' in piece) return piece.text;
      const side = pair?.[0].includes(piece.input) === true ? 0 : 1;
      return `<${sideNames[side]}: ${inputs[piece.input]?.label ?? ''}>`;
    })
    .join('');
  return text.replace(/[{}]/g, (brace) => brace + brace);
}

/** The keys that an answer to `keyCall` lists, as they are compared: letters and digits in small, one space between words. */
export function keysOf(answer: JsonValue): readonly string[] {
  const listed = Array.isArray(answer) ? (answer as readonly JsonValue[]) : [answer];
  const keys = listed.flatMap((item) => (typeof item === 'string' ? [normalKey(item)] : []));
  return [...new Set(keys.filter((key) => key !== ''))].slice(0, mostKeys);
}

function normalKey(text: string): string {
  const plain = text
    .slice(0, longestKey)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  return plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Keys with their spelling, for many comparisons. */
export interface SpelledKeys {
  readonly keys: ReadonlySet<string>;
  readonly spellings: readonly ReadonlySet<string>[];
}

export function spelled(keys: readonly string[]): SpelledKeys {
  return { keys: new Set(keys), spellings: keys.map(bigramsOf) };
}

function bigramsOf(key: string): ReadonlySet<string> {
  const characters = [' ', ...Array.from(key), ' '];
  return new Set(characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`));
}

/** Whether two values have a key in common. */
export function sharesKey(a: SpelledKeys, b: SpelledKeys): boolean {
  for (const key of a.keys) if (b.keys.has(key)) return true;
  return false;
}

/** In [0, 1]: how alike the spelling of the most alike keys is (Dice's coefficient of their pairs of characters); 0 without keys. */
export function keyLikeness(a: SpelledKeys, b: SpelledKeys): number {
  let best = 0;
  for (const one of a.spellings) {
    for (const other of b.spellings) {
      let shared = 0;
      for (const bigram of one) if (other.has(bigram)) shared += 1;
      best = Math.max(best, (2 * shared) / (one.size + other.size));
    }
  }
  return best;
}
