/** Random AND/OR/NOT trees over calls, evaluated in full by SQL's rules: the oracle for the chooser. */
import type { Truth } from '../../../../plans/placement/adaptive/answers.js';
import type { LeafFacts } from '../../../../plans/placement/adaptive/ratio-rule.js';
import type { Condition } from '../../../../plans/placement/condition.js';
import type { Random } from '../../../../plans/tuning/numeric/random.js';

/** A condition over the calls c0 … c(n−1), each once. */
export function randomCondition(leaves: number, random: Random, from = 0): Condition {
  if (leaves === 1) {
    const leaf: Condition = { kind: 'call', call: { id: `c${from}`, reads: ['t.a'] } };
    return random.uniform() < 0.2 ? { kind: 'not', part: leaf } : leaf;
  }
  const parts: Condition[] = [];
  for (let used = 0; used < leaves; ) {
    const size = Math.min(leaves - used, 1 + Math.floor(random.uniform() * Math.max(1, leaves - 1)));
    parts.push(randomCondition(size, random, from + used));
    used += size;
  }
  if (parts.length === 1) return { kind: 'not', part: parts[0]! };
  const whole: Condition = { kind: random.uniform() < 0.5 ? 'and' : 'or', parts };
  return random.uniform() < 0.2 ? { kind: 'not', part: whole } : whole;
}

export function randomFacts(leaves: number, random: Random): ReadonlyMap<string, LeafFacts> {
  return new Map(
    Array.from({ length: leaves }, (_, at) => {
      const passes = random.uniform();
      const nulls = (1 - passes) * (random.uniform() < 0.5 ? 0 : random.uniform());
      const rates = { true: passes, null: nulls, false: 1 - passes - nulls };
      return [`c${at}`, { cost: 0.1 + random.uniform() * 10, rates }] as const;
    }),
  );
}

export function fullValue(condition: Condition, answers: ReadonlyMap<string, Truth>): Truth {
  switch (condition.kind) {
    case 'call':
      return answers.get(condition.call.id)!;
    case 'plain':
      return answers.get(condition.text)!;
    case 'not': {
      const part = fullValue(condition.part, answers);
      return part === null ? null : !part;
    }
    case 'and':
    case 'or': {
      const values = condition.parts.map((part) => fullValue(part, answers));
      const decisive = condition.kind === 'or';
      if (values.includes(decisive)) return decisive;
      return values.includes(null) ? null : !decisive;
    }
  }
}

export const truths: readonly Truth[] = [true, false, null];

/** Every way to answer the keys. */
export function completions(keys: readonly string[], known: ReadonlyMap<string, Truth>): ReadonlyMap<string, Truth>[] {
  const open = keys.find((key) => !known.has(key));
  if (open === undefined) return [known];
  return truths.flatMap((answer) => completions(keys, new Map([...known, [open, answer]])));
}
