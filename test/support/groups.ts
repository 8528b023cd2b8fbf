/** Models that do aggregates, groupings and comparisons over items with numbers in them, exactly. */
import { CallError } from '../../plans/protocol/call-errors.js';
import type { Engine, ScriptedModel } from './engine.js';

/** The fenced items of a prompt, in order. */
export function itemsOf(prompt: string): string[] {
  return [...prompt.matchAll(/\[(?:\d+|A|B)\]:\n<data(\d*)>\n([\s\S]*?)\n<\/data\1>/g)].map((match) => match[2]!);
}

export interface GroupFaults {
  /** Whether a question with these items is refused. */
  refuses: (items: readonly string[]) => boolean;
  onCall: () => Promise<void> | void;
}

export const noGroupFaults = (): GroupFaults => ({ refuses: () => false, onCall: () => undefined });

/** Numbers that a text names as `#7`. */
export const numbersIn = (text: string): number[] => [...text.matchAll(/#(\d+)/g)].map((match) => Number(match[1]));

/** Joins the numbers of all items in their order: what is lost, doubled or out of order shows in the result. */
export function joining(faults: GroupFaults): ScriptedModel {
  return {
    async answer(prompt: string) {
      await faults.onCall();
      const items = itemsOf(prompt);
      if (faults.refuses(items)) throw new CallError('contentFilter', 'the endpoint refused it');
      return {
        text: items
          .flatMap(numbersIn)
          .map((n) => `#${n}`)
          .join(' '),
      };
    },
  };
}

/** Counts and sums, so that results stay short: `n=3 sum=12`. */
export const counting: ScriptedModel = {
  answer(prompt: string) {
    let n = 0;
    let sum = 0;
    for (const item of itemsOf(prompt)) {
      const partial = /^n=(\d+) sum=(\d+)$/.exec(item);
      n += partial === null ? numbersIn(item).length : Number(partial[1]);
      sum += partial === null ? numbersIn(item).reduce((a, b) => a + b, 0) : Number(partial[2]);
    }
    return { text: `n=${n} sum=${sum}` };
  },
};

export type Row = readonly [id: number, g: string, text: string, w?: number];
export const csvOf = (rows: readonly Row[]): string =>
  `id,g,text,w\n${rows.map(([id, g, text, w = 0]) => `${id},${g},${text},${w}`).join('\n')}\n`;

/** Rows of two groups, `a` and `b`, that take several questions each with a small context. */
export const longRows = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => [
    from + at,
    at % 2 === 0 ? 'a' : 'b',
    `#${from + at} ${'word '.repeat(20)}`,
  ]);
export const idsOf = (rows: readonly Row[], g: string): number[] =>
  rows.filter((row) => row[1] === g).map(([id]) => id);

/** Runs a query; `calls` counts what a model was asked for it. */
export async function askRows(engine: Engine, sql: string, csv: string, options: Parameters<Engine['start']>[2] = {}) {
  const before = new Map(engine.calls);
  const run = await engine.start(sql, csv, options);
  const result = await run.result();
  const calls = (model = 'oracle'): number => (engine.calls.get(model) ?? 0) - (before.get(model) ?? 0);
  return { run, result, rows: await run.rows(), calls };
}
