/** Matching a true value to the labels that a prompt offers. */
import type { JsonValue } from '../../../plans/protocol/json.js';
import { pick } from '../random.js';
import { holds } from '../truth/choose.js';
import type { Fact } from '../truth/facts.js';
import { normalise } from '../truth/words.js';
import type { Verdict } from './judge.js';

const fold = (text: string): string =>
  normalise(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const verdictWords = new Map<boolean, ReadonlySet<string>>([
  [true, new Set(['true', 'yes', 'y', 'match', 'positive', 'pass', 'keep', 'relevant', '1'])],
  [false, new Set(['false', 'no', 'n', 'no match', 'negative', 'fail', 'drop', 'irrelevant', '0'])],
]);
const leftOver = new Set(['other', 'others', 'none', 'unknown', 'none of the above', 'not stated', 'n a']);

/** Whether options are a yes and a no. */
export function isYesNo(options: readonly string[] | undefined): boolean {
  return (
    options?.length === 2 && [true, false].every((value) => options.some((o) => verdictWords.get(value)?.has(fold(o))))
  );
}

/** The offered label that says a true value: the same but for case and marks, another word for it, or its verdict. */
export function labelFor(value: JsonValue, fact: Fact, offered: readonly string[]): string | undefined {
  if (typeof value === 'boolean') return offered.find((label) => verdictWords.get(value)?.has(fold(label)));
  const name = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const words = new Set([name, ...(fact.labels[name] ?? [])].map(fold));
  return offered.find((label) => words.has(fold(label)));
}

/**
 * What is answered for one label out of those offered. A true value that is not offered is answered by the label for the
 * rest, and where there is none by any label: a model must say something.
 */
export function answerLabel(fact: Fact, offered: readonly string[], verdict: Verdict): string | undefined {
  const value = Array.isArray(fact.value) ? ((fact.value as readonly JsonValue[])[0] ?? null) : fact.value;
  const truth = labelFor(value, fact, offered) ?? offered.find((label) => leftOver.has(fold(label)));
  if (truth === undefined) return pick(verdict.random, offered);
  return verdict.right
    ? truth
    : (pick(
        verdict.random,
        offered.filter((label) => label !== truth),
      ) ?? truth);
}

/** The offered labels that hold; a wrong answer has one too few or one too many. */
export function answerLabels(fact: Fact, offered: readonly string[] | undefined, verdict: Verdict): readonly string[] {
  const values = Array.isArray(fact.value) ? (fact.value as readonly JsonValue[]) : [fact.value];
  const choices = offered ?? fact.domain.map(String);
  const truth = values.flatMap((value) => labelFor(value, fact, choices) ?? []);
  if (verdict.right) return truth;
  const missing = choices.filter((label) => !truth.includes(label));
  const drop = truth.length > 1 && verdict.random.uniform() < 0.5;
  const extra = pick(verdict.random, missing);
  if (drop || extra === undefined) return truth.filter((label) => label !== pick(verdict.random, truth.slice(0, 1)));
  return truth.length === 1 && verdict.random.uniform() < 0.5 ? [extra] : [...truth, extra];
}

/** For a yes-or-no question about a labelled field, such as "Is it about brakes?": whether the label it names is the true one. */
export function namedLabel(fact: Fact, question: string): boolean | undefined {
  const labels = fact.domain.map(String);
  const named = labels.filter((label) =>
    [label, ...(fact.labels[label] ?? [])].some((word) => holds(question, normalise(word))),
  );
  if (named.length === 0) return undefined;
  const held = new Set((Array.isArray(fact.value) ? (fact.value as readonly JsonValue[]) : [fact.value]).map(String));
  // the longest name is the one that is meant: "engine and engine cooling" names "engine" too
  const longest = named.filter(
    (label) => !named.some((other) => other !== label && holds(normalise(other), normalise(label))),
  );
  return longest.some((label) => held.has(label));
}
