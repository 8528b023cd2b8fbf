import { describe, expect, it } from 'vitest';
import { type Answered, type Answerer, answerChat } from '../../../bench/pool/answers/answer.js';
import { accuracyAt } from '../../../bench/pool/answers/judge.js';
import { defaultProfiles, type ModelProfile } from '../../../bench/pool/profile.schema.js';
import { type ChatRequest, readChat } from '../../../bench/pool/serve/request.js';
import { Difficulty, difficultyModes, type DifficultyMode } from '../../../bench/pool/truth/difficulty.js';
import { Truth } from '../../../bench/pool/truth/registry.js';
import { binomialCdf } from '../../../plans/physical/cascade/bounds/beta.js';
import { object, row, textOf, things } from './support.js';

const rows = 3000;
const truth = new Truth(things(rows));
const profiles = defaultProfiles();
const chat = Object.entries(profiles).filter(([, { task }]) => task.valueOf() === 'chat');
/** Two-sided, for one of the comparisons below: about 60 of them are made. */
const alpha = 1e-4;

const poolOf = (mode: DifficultyMode, seed = 5): Answerer => ({
  truth,
  difficulty: new Difficulty(truth, mode, seed),
  seed,
});

function request(model: string, n: number, more: Record<string, unknown> = {}) {
  return readChat({
    model,
    messages: [{ role: 'user', content: `<data>\n${textOf(n)}\n</data>\nIs it old?` }],
    response_format: { type: 'json_schema', json_schema: { schema: object({ answer: { type: 'boolean' } }) } },
    logprobs: true,
    ...more,
  });
}

function said(answered: Answered): { readonly value: boolean; readonly confidence: number } {
  if (!answered.ok) throw new Error(answered.why);
  const at = answered.tokens.findIndex(({ token }) => token === 'true' || token === 'false');
  return { value: answered.tokens[at]?.token === 'true', confidence: Math.exp(answered.tokens[at]?.logprob ?? 0) };
}

interface Judged {
  readonly n: number;
  readonly difficulty: number;
  readonly right: boolean;
  readonly confidence: number;
}

function judgeAll(pool: Answerer, model: string, profile: ModelProfile): readonly Judged[] {
  return truth.rowsOf('things').map((tuple, n) => {
    const { value, confidence } = said(answerChat(pool, request(model, n), profile, ''));
    return { n, difficulty: pool.difficulty.of(tuple, 'old'), right: value === row(n).fields['old'], confidence };
  });
}

/** Whether a count lies within what a binomial of this mean rate gives, but for `alpha` at each side. */
function within(successes: number, trials: number, rate: number): boolean {
  return binomialCdf(successes, trials, rate) > alpha && 1 - binomialCdf(successes - 1, trials, rate) > alpha;
}

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
/** Chance that a right answer is surer than a wrong one (area under the ROC curve). */
function discrimination(judged: readonly Judged[]): number {
  const right = judged.filter((one) => one.right);
  const wrong = judged.filter((one) => !one.right);
  const surer = right.reduce((sum, a) => sum + wrong.filter((b) => a.confidence > b.confidence).length, 0);
  return surer / (right.length * wrong.length);
}

const rightOf = (judged: readonly Judged[]): number => judged.filter(({ right }) => right).length;

describe.each(chat)('%s', (model, profile) => {
  const sourced = judgeAll(poolOf('sourced'), model, profile);

  it('is right as often as its profile says, at every difficulty', () => {
    for (let bucket = 0; bucket < 5; bucket++) {
      const here = sourced.filter(({ difficulty }) => Math.min(4, Math.floor(difficulty * 5)) === bucket);
      expect(here.length).toBeGreaterThan(50);
      const expected = mean(here.map(({ difficulty }) => accuracyAt(profile, difficulty)));
      expect(
        within(rightOf(here), here.length, expected),
        `bucket ${bucket}: ${rightOf(here)} of ${here.length}, expected ${expected}`,
      ).toBe(true);
    }
  });

  it('states its confidence with the calibration of its profile', () => {
    const { temperature } = profile.confidence;
    const chance = (stated: number): number => 1 / (1 + ((1 - stated) / stated) ** (1 / temperature));
    const low = 1 / 2;
    // below the chance of guessing a model is right less often than any confidence says: those are left out
    const honest = sourced.filter(({ difficulty }) => accuracyAt(profile, difficulty) >= low);
    for (const [from, to] of [
      [0.5, 0.7],
      [0.7, 0.85],
      [0.85, 0.95],
      [0.95, 0.99],
    ] as const) {
      const here = honest.filter(({ confidence }) => chance(confidence) >= from && chance(confidence) < to);
      if (here.length < 30) continue;
      const expected = mean(here.map(({ confidence }) => chance(confidence)));
      expect(
        within(rightOf(here), here.length, expected),
        `${from}: ${rightOf(here)} of ${here.length}, expected ${expected}`,
      ).toBe(true);
    }
    expect(discrimination(sourced)).toBeGreaterThan(0.6);
  });

  it.each(difficultyModes)('keeps its mean accuracy under %s difficulty', (mode) => {
    const judged = mode === 'sourced' ? sourced : judgeAll(poolOf(mode), model, profile);
    const expected = mean(sourced.map(({ difficulty }) => accuracyAt(profile, difficulty)));
    expect(within(rightOf(judged), rows, expected)).toBe(true);
    if (mode === 'flat') {
      // what is hard as sourced is as easy as the rest
      const plain = poolOf('sourced').difficulty;
      const hard = judged.filter(({ n }) => plain.of(truth.rowsOf('things')[n]!, 'old') > 0.7);
      expect(within(rightOf(hard), hard.length, expected)).toBe(true);
    }
  });

  it('gives the same answer to the same row, whatever the order and the wording', () => {
    const backwards = poolOf('sourced');
    const again = Array.from({ length: 200 }, (_, at) => 199 - at).map((n) =>
      said(answerChat(backwards, request(model, n), profile, '')),
    );
    expect(again.reverse()).toEqual(
      sourced
        .slice(0, 200)
        .map(({ n, right, confidence }) => ({ value: right === (row(n).fields['old'] as boolean), confidence })),
    );
  });

  it('draws anew for another seed, and for another sample at a temperature above 0', () => {
    const values = (pool: Answerer, replica: string) =>
      Array.from({ length: 400 }, (_, n) => said(answerChat(pool, request(model, n), profile, replica)).value);
    const base = values(poolOf('sourced'), '');
    expect(values(poolOf('sourced', 6), '')).not.toEqual(base);
    expect(values(poolOf('sourced'), 'sample 1')).not.toEqual(values(poolOf('sourced'), 'sample 2'));
  });
});

describe('difficulty modes', () => {
  it('shuffled deals the same difficulties to other rows', () => {
    const of = (mode: DifficultyMode) =>
      truth.rowsOf('things').map((tuple) => poolOf(mode).difficulty.of(tuple, 'old'));
    const small = new Truth(things(300));
    const all = (mode: DifficultyMode) => {
      const difficulty = new Difficulty(small, mode, 5);
      return small.rowsOf('things').map((tuple) => difficulty.of(tuple, 'old'));
    };
    expect(all('shuffled')).not.toEqual(all('sourced'));
    expect(all('shuffled').sort()).toEqual(all('sourced').sort());
    expect(of('sourced').every((d) => d >= 0 && d <= 1)).toBe(true);
  });

  it('a batch of rows is harder by what the profile says', () => {
    const profile = { ...profiles['sim-nano']!, batchDifficulty: 0.3 };
    const right = (size: number): number => {
      let count = 0;
      for (let n = 0; n + size <= 1000; n += size) {
        const texts = Array.from({ length: size }, (_, i) => textOf(n + i)).join('\n\n');
        const schema = object({ answer: { type: 'array', items: { type: 'boolean' } } });
        const pieces = [{ kind: 'text', text: `${texts}\nold?` }] as const;
        const chatRequest: ChatRequest = { ...request('sim-nano', n), pieces, schema };
        const answered = answerChat(poolOf('sourced'), chatRequest, profile, '');
        if (!answered.ok) throw new Error(answered.why);
        const values = (JSON.parse(answered.tokens.map(({ token }) => token).join('')) as { answer: boolean[] }).answer;
        expect(values).toHaveLength(size);
        count += values.filter((value, i) => value === row(n + i).fields['old']).length;
      }
      return count;
    };
    expect(right(10)).toBeLessThan(right(1) - 50);
  });
});

describe('profiles', () => {
  it('are of every kind, and each value has a source', () => {
    const tasks = new Set(Object.values(profiles).map(({ task }) => task.valueOf()));
    expect([...tasks].sort()).toEqual(['chat', 'embedding', 'transcription']);
    const seen = new Set(chat.flatMap(([, { modalities }]) => modalities));
    expect([...seen].sort()).toEqual(['audio', 'image', 'text']);
  });

  it('a stronger rung is nowhere worse than the one below', () => {
    const [strong, mini, nano] = ['sim-strong', 'sim-mini', 'sim-nano'].map((name) => profiles[name]!);
    for (let d = 0; d <= 1; d += 0.05) {
      expect(accuracyAt(strong!, d)).toBeGreaterThan(accuracyAt(mini!, d));
      expect(accuracyAt(mini!, d)).toBeGreaterThan(accuracyAt(nano!, d));
    }
  });
});
