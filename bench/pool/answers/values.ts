/** One value of each plain type, right or plausibly wrong. */
import type { JsonValue } from '../../../plans/protocol/json.js';
import { pick } from '../random.js';
import type { Schema } from '../serve/request.js';
import type { Fact } from '../truth/facts.js';
import type { Verdict } from './judge.js';

export interface Scale {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly whole: boolean;
}

const scaleWords = /(?:from|between)?\s*(-?\d+(?:\.\d+)?)[^\d\n]{0,24}?(?:to|and|-|–)\s*(-?\d+(?:\.\d+)?)/;

/** The scale that the schema or else the question names, such as "from 1 (bad) to 5 (good)". */
export function scaleOf(node: Schema, question: string): Scale {
  const words = scaleWords.exec(question);
  const spoken = words === null ? [] : [Number(words[1]), Number(words[2])].sort((a, b) => a - b);
  return { min: node.minimum ?? spoken[0], max: node.maximum ?? spoken[1], whole: node.type === 'integer' };
}

const onScale = (
  value: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, whole }: Scale,
): number => {
  const cut = Math.min(max, Math.max(min, value));
  return whole ? Math.round(cut) : Number(cut.toPrecision(6));
};

/** A number; a verdict becomes an end of the scale, softened on finer scales. Undefined: the truth is no number. */
export function answerNumber(fact: Fact, scale: Scale, verdict: Verdict): number | undefined {
  const { value, range } = fact;
  if (typeof value === 'boolean') {
    const min = scale.min ?? 0;
    const max = scale.max ?? 1;
    const softened = 0.4 * verdict.random.uniform();
    const share = value === verdict.right ? 1 - softened : softened;
    return onScale(min + (max - min) * share, scale);
  }
  const native = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof native !== 'number' || !Number.isFinite(native)) return undefined;
  const { min, max } = scale;
  const moved =
    range === undefined || min === undefined || max === undefined
      ? native
      : min + ((native - range[0]) / (range[1] - range[0])) * (max - min);
  const truth = onScale(moved, scale);
  return verdict.right ? truth : wrongNumber(truth, scale, verdict);
}

/** Off by 10 to 60 % of the scale, or of the number itself, and never the truth. */
function wrongNumber(truth: number, scale: Scale, { random }: Verdict): number {
  const { min, max } = scale;
  const span = min === undefined || max === undefined ? Math.max(1, Math.abs(truth)) : max - min;
  const step = (0.1 + 0.5 * random.uniform()) * span;
  const least = scale.whole ? Math.max(1, step) : step;
  const sign = random.uniform() < 0.5 ? -1 : 1;
  const options = [truth + sign * least, truth - sign * least].map((value) => onScale(value, scale));
  return options.find((value) => value !== truth) ?? truth;
}

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const dayMs = 86_400_000;

/** A text; a wrong one is another value of the column, another day, or the text without its words' order. */
export function answerText(fact: Fact, verdict: Verdict): string | undefined {
  const { value } = fact;
  if (value === null) return verdict.right ? undefined : textOf(pick(verdict.random, fact.domain) ?? null);
  const truth = textOf(value);
  if (truth === undefined || verdict.right) return truth;
  if (isoDate.test(truth)) {
    const shift = (1 + Math.floor(verdict.random.uniform() * 30)) * dayMs;
    return new Date(Date.parse(truth) + shift).toISOString().slice(0, 10);
  }
  const others = fact.domain.map(textOf).filter((text) => text !== undefined && text !== truth);
  return pick(verdict.random, others) ?? `not ${truth}`;
}

export function textOf(value: JsonValue): string | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => textOf(item) ?? '').join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
