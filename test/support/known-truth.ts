/**
 * Items with a known truth for tests of cascades: item n has a score s, is true with probability s, and the calibrated proxy
 * reports s.
 */
import { CallError } from '../../plans/protocol/call-errors.js';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { deriveSeed, mulberry32 } from '../../plans/tuning/numeric/random.js';
import type { Engine, ScriptedModel } from './engine.js';

/** What goes wrong, by item, and what happens at each call of the proxy. */
export interface Faults {
  oracleFails: (item: number) => boolean;
  proxyFails: (item: number) => boolean;
  onProxyCall: () => Promise<void> | void;
}

export const noFaults = (): Faults => ({
  oracleFails: () => false,
  proxyFails: () => false,
  onProxyCall: () => undefined,
});

function scoreOf(item: number): number {
  const u = mulberry32(deriveSeed(7, item)).uniform();
  return 1 / (1 + Math.exp(-14 * (u - 0.72)));
}
export const truthOf = (item: number): boolean => mulberry32(deriveSeed(8, item)).uniform() < scoreOf(item);
const itemOf = (prompt: string): number => Number(/item (\d+)/.exec(prompt)?.[1]);
const reply = (value: boolean, confidence?: number) => ({
  text: JSON.stringify({ answer: value }),
  ...(confidence === undefined ? {} : { confidence }),
});
function sure(score: number) {
  return score >= 0.5 ? reply(true, score) : reply(false, 1 - score);
}

/** An oracle and proxies of different worth. */
export function knownModels(faults: Faults): Readonly<Record<string, ScriptedModel>> {
  return {
    oracle: {
      answer: (prompt) => {
        if (faults.oracleFails(itemOf(prompt))) throw new CallError('contentFilter', 'the endpoint refused it');
        return reply(truthOf(itemOf(prompt)));
      },
    },
    proxy: {
      answer: async (prompt, request) => {
        await faults.onProxyCall();
        if (faults.proxyFails(itemOf(prompt))) throw new CallError('contentFilter', 'the endpoint refused it');
        if (!request.confidence) throw new CallError('badRequest', 'a proxy is to be asked how sure it is');
        return sure(scoreOf(itemOf(prompt)));
      },
    },
    /** Knows nothing, and says so in another way each time. */
    coin: { answer: (prompt) => sure(mulberry32(deriveSeed(9, itemOf(prompt))).uniform()) },
    /** Knows nothing, and says the same of everything. */
    flat: { answer: () => reply(true, 0.5) },
    /** Right on 99 of 100, and never says how sure it is. */
    blunt: {
      answer: (prompt) => {
        const item = itemOf(prompt);
        return reply(truthOf(item) !== mulberry32(deriveSeed(10, item)).uniform() < 0.01);
      },
    },
  };
}

export const csvOf = (from: number, rows: number): string =>
  `id,text\n${Array.from({ length: rows }, (_, at) => `${from + at},item ${from + at} of the list`).join('\n')}\n`;
export const filter = "SELECT id FROM t WHERE AI_FILTER('Is it so? {text}') ORDER BY id";

export function cascade(
  targets: { readonly recall?: number; readonly precision?: number } = { recall: 0.9, precision: 0.9 },
  proxy = 'proxy',
): StrategyRequest {
  return { kind: 'cascade', proxy, targets: { ...targets, confidence: 0.95 } };
}

/** Runs a query over the items; `calls` counts what each model was asked for it. */
export async function askItems(engine: Engine, sql: string, csv: string, options: Parameters<Engine['start']>[2] = {}) {
  const before = new Map(engine.calls);
  const run = await engine.start(sql, csv, options);
  const result = await run.result();
  const ids = (await run.rows()).map((row) => Number(row['id']));
  const calls = (model: string): number => (engine.calls.get(model) ?? 0) - (before.get(model) ?? 0);
  return { run, result, ids, calls };
}

export function quality(ids: readonly number[], from: number, rows: number) {
  const positives = Array.from({ length: rows }, (_, at) => from + at).filter(truthOf);
  const found = ids.filter(truthOf).length;
  return { recall: found / positives.length, precision: found / Math.max(1, ids.length) };
}
