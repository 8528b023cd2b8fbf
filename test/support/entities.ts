/** Companies whose names are written in several ways, with the known truth, and a model that knows it. */
import { deriveSeed, mulberry32 } from '../../plans/tuning/numeric/random.js';
import { itemsOf } from './groups.js';
import { batchReply, itemsIn } from './batches.js';
import type { ScriptedModel } from './engine.js';

const first = ['Northwind', 'Blue Harbor', 'Cascade', 'Summit', 'Golden Gate', 'Ironwood', 'Silver Lake', 'Redstone'];
const second = [
  'Traders',
  'Foods',
  'Software',
  'Logistics',
  'Textiles',
  'Motors',
  'Pharma',
  'Books',
  'Energy',
  'Media',
];
const forms = [
  (name: string) => name,
  (name: string) => `${name} Inc.`,
  (name: string) => name.toUpperCase(),
  (name: string) => `The ${name} Company`,
  (name: string) => name.replace(/([a-z])([a-z])/, '$1$1'),
];

export interface Mention {
  readonly id: number;
  readonly name: string;
  readonly company: number;
}

/** So many companies, each named in up to `most` ways, in an order without system. */
export function mentions(companies: number, most: number, from = 0): readonly Mention[] {
  const random = mulberry32(deriveSeed(41, companies + from));
  const all = Array.from({ length: companies }, (_, at) => {
    const n = from + at;
    const name = `${first[n % first.length]!} ${second[Math.floor(n / first.length) % second.length]!}`;
    const suffix = n < first.length * second.length ? '' : ` ${Math.floor(n / (first.length * second.length)) + 1}`;
    const times = 1 + Math.floor(random.uniform() * most);
    return forms.slice(0, times).map((form) => ({ name: form(name + suffix), company: n }));
  }).flat();
  return all
    .map((one) => ({ one, key: random.uniform() }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }, id) => ({ ...one, id }));
}

/** Says which of two names are of one company; `onPair` hears what it is asked about. */
export function knowing(
  of: () => readonly Mention[],
  onPair: (pair: readonly [string, string]) => void,
): ScriptedModel {
  const same = (a: string, b: string): boolean => {
    const companies = new Map(of().map(({ name, company }) => [name, company]));
    onPair([a, b]);
    return companies.get(a) === companies.get(b);
  };
  return {
    answer(prompt) {
      if (itemsIn(prompt).length > 0)
        return { text: batchReply(batched(prompt).map(([id, [a, b]]) => [id, same(a, b)])) };
      const [a = '', b = ''] = itemsOf(prompt);
      return { text: JSON.stringify({ answer: same(a, b) }) };
    },
  };
}

function batched(prompt: string): readonly (readonly [string, readonly [string, string]])[] {
  return Array.from(
    prompt.matchAll(/^Item ([a-z]+)\n\[1\]:\n<data>\n(.*)\n<\/data>\n\[2\]:\n<data>\n(.*)\n<\/data>/gm),
    ([, id = '', a = '', b = '']) => [id, [a, b]] as const,
  );
}

/** Share of the pairs of one company that have one number, and of the pairs of one number that are of one company. */
export function pairQuality(rows: readonly { readonly company: number; readonly entity: unknown }[]) {
  let [both, gold, found] = [0, 0, 0];
  for (const [at, a] of rows.entries()) {
    for (const b of rows.slice(at + 1)) {
      const [real, ours] = [a.company === b.company, a.entity === b.entity];
      gold += Number(real);
      found += Number(ours);
      both += Number(real && ours);
    }
  }
  return { recall: gold === 0 ? 1 : both / gold, precision: found === 0 ? 1 : both / found };
}
