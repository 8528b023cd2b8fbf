/** Texts of two kinds with a known truth, and models of different worth, for searches for a plan. */
import type { ModelRequest, ObjectStore } from '../../activities/ports.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { TrialHistory } from '../../plans/tuning/history.js';
import type { ScriptedModel } from './engine.js';

const itemOf = (prompt: string): number => Number(/item (\d+)/.exec(prompt)?.[1]);
/** Two of five complain. */
export const truth = (item: number): boolean => item % 5 < 2;
/** Short texts say it by a word; long ones say nothing that rules could read. */
const isPlain = (item: number): boolean => item % 2 === 0;

function textOf(item: number): string {
  if (!isPlain(item)) {
    return `item ${item}: the dealer had a long talk with us about what happened on the road that week, number ${item * 7}`;
  }
  return `item ${item}: ${truth(item) ? 'the engine stalled and would not start' : 'a smooth ride, very happy'}`;
}

export function complaints(from: number, rows: number): string {
  const lines = Array.from({ length: rows }, (_, at) => `${from + at},"${textOf(from + at)}"`);
  return `id,text\n${lines.join('\n')}\n`;
}

export const complaintSql = "SELECT id FROM t WHERE AI_FILTER('Is it a complaint? {text}')";

export interface ComplaintFaults {
  /** Items about which the oracle fails. */
  broken: (item: number) => boolean;
  /** Heard before each answer, with the name of the model. */
  onCall: (model: string) => Promise<void> | undefined;
}

/** A verdict on an item in the type that is asked for: yes or no, the first label or the second, or a number. */
function say({ output }: ModelRequest, item: number, value: boolean) {
  const answer =
    output.kind === 'enum'
      ? output.values[value ? 0 : 1]
      : output.kind === 'number'
        ? ((item * 7) % 11) / 20 + (value ? 0.5 : 0)
        : value;
  return { text: JSON.stringify({ answer }) };
}

/** Prices differ, so that the order of buckets does not hang on the clock. */
export function complaintModels(faults: ComplaintFaults): Readonly<Record<string, ScriptedModel>> {
  return {
    /** Right about all. */
    oracle: {
      price: 10,
      answer: async (prompt, request) => {
        await faults.onCall('oracle');
        const item = itemOf(prompt);
        if (faults.broken(item)) throw new CallError('contentFilter', 'the endpoint refused it');
        return say(request, item, truth(item));
      },
    },
    /** Right about plain texts, and says no to all others. */
    small: {
      price: 0.5,
      answer: async (prompt, request) => {
        await faults.onCall('small');
        const item = itemOf(prompt);
        return say(request, item, isPlain(item) && truth(item));
      },
    },
    /** Wrong about all. */
    liar: { price: 1, answer: (prompt, request) => say(request, itemOf(prompt), !truth(itemOf(prompt))) },
    /** Never answers, nor will it. */
    mute: {
      price: 2,
      answer: () => {
        throw new CallError('auth', 'the key is not known');
      },
    },
  };
}

/** What was tried and what came of it, without seconds, which no two searches share. */
export async function traceOf(
  engine: { readonly store: Pick<ObjectStore, 'get'> },
  history: string,
): Promise<readonly unknown[]> {
  const { trials } = JSON.parse(new TextDecoder().decode(await engine.store.get(history))) as TrialHistory;
  return trials.map(({ id, configuration, metrics }) => [
    id,
    configuration,
    metrics?.['quality'],
    metrics?.['costUsd'],
  ]);
}
