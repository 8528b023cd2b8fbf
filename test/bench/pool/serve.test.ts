import { afterEach, describe, expect, it, vi } from 'vitest';
import { changedModel, closeAll, promptOf, rawPost, startedPool } from './started.js';
import { answerOf, ask, exactProfiles, object, textOf } from './support.js';
import { withFaults } from '../../../bench/pool/profile.schema.js';
import { Counts } from '../../../bench/pool/serve/counts.js';
import { RateLimit } from '../../../bench/pool/serve/limits.js';
import { binomialCdf } from '../../../plans/physical/cascade/bounds/beta.js';

afterEach(closeAll);

const schema = object({ answer: { type: 'boolean' } });

describe('every reply is labelled', () => {
  it('with the header and the fingerprint, errors too', async () => {
    const pool = await startedPool({ profiles: exactProfiles() });
    const good = await ask(pool.url, promptOf(4), { schema });
    expect(good.headers.get('x-fermata-simulated')).toBe('1');
    expect(good.body['system_fingerprint']).toBe('simulated-pool');
    for (const path of ['/v1/models', '/counts', '/nowhere']) {
      const reply = await fetch(new URL(path, pool.url));
      expect(reply.headers.get('x-fermata-simulated')).toBe('1');
    }
    expect((await ask(pool.url, 'x', { model: 'none' })).headers.get('x-fermata-simulated')).toBe('1');
  });

  it('models are listed as simulated', async () => {
    const pool = await startedPool({});
    const { data } = (await (await fetch(`${pool.url}/models`)).json()) as { data: { id: string; owned_by: string }[] };
    expect(data.map(({ id }) => id)).toContain('sim-mini');
    expect(data.every(({ owned_by }) => owned_by === 'simulated-pool')).toBe(true);
  });
});

describe('counts', () => {
  it('are those of the model that an alias stands for', async () => {
    const pool = await startedPool({ aliases: { 'gpt-real': 'sim-nano' } });
    expect((await ask(pool.url, promptOf(0), { schema, model: 'gpt-real' })).status).toBe(200);
    expect(Object.keys(pool.counts())).toEqual(['sim-nano']);
  });

  it('tell for how long at least one call slept', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const counts = new Counts();
      const ends: (() => void)[] = [];
      const sleep = (): Promise<void> => counts.sleeping(new Promise((resolve) => ends.push(resolve)));
      const calls = [sleep()];
      vi.advanceTimersByTime(100);
      calls.push(sleep());
      vi.advanceTimersByTime(50);
      expect(counts.sleptMs).toBe(150);
      ends.forEach((end) => end());
      await Promise.all(calls);
      vi.advanceTimersByTime(1000);
      expect(counts.sleptMs).toBe(150);
      counts.reset();
      expect(counts.sleptMs).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are of calls at the pace of the moment', async () => {
    const fixed = { medianMs: 40, p95Ms: 40, perInputTokenMs: 0, perOutputTokenMs: 0 };
    const pool = await startedPool({ profiles: changedModel('sim-mini', () => ({ latency: fixed })) });
    await ask(pool.url, promptOf(0), { schema, model: 'sim-mini' });
    expect(pool.sleptMs()).toBe(0);
    pool.pace(0.5);
    await ask(pool.url, promptOf(1), { schema, model: 'sim-mini' });
    expect(pool.counts()['sim-mini']?.latencyMs).toBeCloseTo(20);
    expect(pool.sleptMs()).toBeGreaterThan(0);
    pool.resetCounts();
    expect(pool.sleptMs()).toBe(0);
  });

  it('add up to the usage that was reported, at the price of the profile, and start anew', async () => {
    const pool = await startedPool({ profiles: exactProfiles() });
    let input = 0;
    let output = 0;
    for (let n = 0; n < 5; n++) {
      const { body } = await ask(pool.url, promptOf(n), { schema, model: 'sim-mini' });
      const usage = body['usage'] as { prompt_tokens: number; completion_tokens: number };
      input += usage.prompt_tokens;
      output += usage.completion_tokens;
    }
    expect(input).toBeGreaterThan(100);
    const counts = pool.counts()['sim-mini']!;
    expect(counts).toMatchObject({
      calls: 5,
      tuples: 5,
      inputTokens: input,
      outputTokens: output,
      inFlight: 0,
      tasks: { old: 5 },
    });
    expect(counts.usd).toBeCloseTo((input * 0.25 + output * 2) / 1e6, 12);
    const told = (await (await fetch(new URL('/counts', pool.url))).json()) as Record<string, unknown>;
    expect(told).toEqual(JSON.parse(JSON.stringify(pool.counts())));
    await fetch(new URL('/counts/reset', pool.url), { method: 'POST' });
    expect(pool.counts()['sim-mini']).toMatchObject({ calls: 0, usd: 0, tasks: {} });
  });

  it('know how many calls were in flight, and how long they took in sum', async () => {
    const pool = await startedPool({
      profiles: withFaults(exactProfiles(), { hang: 1 }, 'sim-mini'),
      latencyScale: 0.001,
    });
    const control = new AbortController();
    const pending = Array.from({ length: 10 }, () => rawPost(pool.url, control.signal, 'sim-mini'));
    await waitFor(() => pool.counts()['sim-mini']?.inFlight === 10);
    control.abort();
    await Promise.allSettled(pending);
    await waitFor(() => pool.counts()['sim-mini']?.inFlight === 0);
    expect(pool.counts()['sim-mini']).toMatchObject({ maxInFlight: 10, calls: 10, latencyMs: 0, usd: 0 });
    await ask(pool.url, promptOf(1), { schema });
    expect(pool.counts()['sim-strong']?.latencyMs).toBeGreaterThan(0.1);
  });
});

describe('rate limits', () => {
  it('too many at a time get a 429 that says when to come again', async () => {
    const profiles = changedModel('sim-mini', ({ limits, faults }) => ({
      limits: { ...limits, concurrency: 3 },
      faults: { ...faults, hang: 1 },
    }));
    const pool = await startedPool({ profiles });
    const control = new AbortController();
    const pending = Array.from({ length: 3 }, () => rawPost(pool.url, control.signal, 'sim-mini'));
    await waitFor(() => pool.counts()['sim-mini']?.inFlight === 3);
    const turned = await ask(pool.url, promptOf(1), { schema, model: 'sim-mini' });
    expect(turned.status).toBe(429);
    expect(Number(turned.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(pool.counts()['sim-mini']).toMatchObject({ limited: 1, calls: 3, maxInFlight: 3 });
    control.abort();
    await Promise.allSettled(pending);
  });

  it('requests and tokens of the last minute count', () => {
    let now = 0;
    const limit = new RateLimit({ rpm: 3, tpm: 100, concurrency: 10 }, () => now);
    expect(limit.enter(10, 0)).toBeUndefined();
    now = 20_000;
    expect(limit.enter(10, 0)).toBeUndefined();
    expect(limit.enter(90, 0)).toBe(40_000);
    expect(limit.enter(10, 0)).toBeUndefined();
    expect(limit.enter(1, 0)).toBe(40_000);
    now = 60_000;
    expect(limit.enter(1, 0)).toBeUndefined();
    now = 200_000;
    expect(limit.enter(5000, 0)).toBeUndefined();
    expect(limit.enter(1, 10)).toBe(1000);
  });
});

describe('faults', () => {
  const calls = 160;

  it.each([
    ['rateLimited', 429],
    ['serverError', 500],
    ['badJson', 200],
  ] as const)(
    '%s strikes its share of the calls, the same ones each time, and not all tries of one',
    async (kind, status) => {
      const rate = 0.2;
      const run = async () => {
        const pool = await startedPool({ profiles: withFaults(exactProfiles(), { [kind]: rate }) });
        const struck: boolean[] = [];
        for (let n = 0; n < calls; n++) {
          const reply = await ask(pool.url, promptOf(n), { schema });
          const odd = kind === 'badJson' ? !wellFormed(reply.text) : reply.status === status;
          expect(odd || reply.status === 200).toBe(true);
          struck.push(odd);
        }
        expect(pool.counts()['sim-strong']?.faults).toEqual({ [kind]: struck.filter(Boolean).length });
        const again = await Promise.all(
          struck.flatMap((odd, n) => (odd ? [ask(pool.url, promptOf(n), { schema })] : [])),
        );
        expect(again.some((reply) => reply.status === 200 && wellFormed(reply.text))).toBe(true);
        return struck;
      };
      const struck = await run();
      const count = struck.filter(Boolean).length;
      expect(binomialCdf(count, calls, rate)).toBeGreaterThan(1e-4);
      expect(1 - binomialCdf(count - 1, calls, rate)).toBeGreaterThan(1e-4);
      expect(await run()).toEqual(struck);
    },
  );

  it('a hanging call is never answered, and ends with its connection', async () => {
    const pool = await startedPool({ profiles: withFaults(exactProfiles(), { hang: 1 }) });
    const control = new AbortController();
    const pending = rawPost(pool.url, control.signal);
    await waitFor(() => pool.counts()['sim-strong']?.inFlight === 1);
    control.abort();
    await expect(pending).rejects.toThrow();
    await waitFor(() => pool.counts()['sim-strong']?.inFlight === 0);
    expect(pool.counts()['sim-strong']?.faults).toEqual({ hang: 1 });
  });
});

describe('limits of a reply', () => {
  it('a reply that is cut says so, and a prompt beyond the context is refused', async () => {
    const pool = await startedPool({ profiles: changedModel('sim-strong', () => ({ contextTokens: 120 })) });
    const cut = await ask(pool.url, promptOf(4), { schema, more: { max_tokens: 2 } });
    expect((cut.body['choices'] as { finish_reason: string }[])[0]?.finish_reason).toBe('length');
    const long = await ask(pool.url, `${textOf(4)} ${'blah '.repeat(200)} old?`, { schema });
    expect(long.status).toBe(400);
    expect(JSON.stringify(long.body)).toContain('context_length_exceeded');
  });
});

describe('log-probabilities', () => {
  it('spell the reply, sum to at most 1, and name the other answer', async () => {
    const pool = await startedPool({});
    for (let n = 0; n < 30; n++) {
      const { body, text } = await ask(pool.url, promptOf(n), {
        schema,
        model: 'sim-nano',
        more: { logprobs: true, top_logprobs: 3 },
      });
      const [choice] = body['choices'] as {
        logprobs: { content: { token: string; logprob: number; top_logprobs: { token: string; logprob: number }[] }[] };
      }[];
      const tokens = choice!.logprobs.content;
      expect(tokens.map(({ token }) => token).join('')).toBe(text);
      for (const { top_logprobs: top } of tokens) {
        expect(top.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)).toBeLessThanOrEqual(1 + 1e-9);
        expect(top.every(({ logprob }, at) => at === 0 || logprob <= top[at - 1]!.logprob)).toBe(true);
      }
      const verdict = tokens.find(({ token }) => token === 'true' || token === 'false')!;
      expect(verdict.top_logprobs.map(({ token }) => token).sort()).toEqual(['false', 'true']);
    }
  });
});

describe('calls that are for the real model', () => {
  it('are passed on as they are, labelled, and counted at its price', async () => {
    const real = await startedPool({ profiles: exactProfiles() });
    const forward = { url: real.url, model: 'sim-mini', price: { inputPerMTok: 10, outputPerMTok: 100 } };
    const front = await startedPool({ truth: [], profiles: exactProfiles(), forward });
    const reply = await ask(front.url, promptOf(4), { schema });
    expect(reply.headers.get('x-fermata-forwarded')).toBe('sim-mini');
    expect(reply.body['system_fingerprint']).toBe('simulated-pool/forwarded');
    expect(answerOf(reply)).toBe(true);
    const { usd, calls, inputTokens, outputTokens } = front.counts()['sim-mini']!;
    expect(calls).toBe(1);
    expect(usd).toBeCloseTo((inputTokens * 10 + outputTokens * 100) / 1e6, 12);
    expect(front.counts()['sim-strong']).toMatchObject({ forwarded: 1, usd: 0, tuples: 0 });
  });

  it('are passed on by the words of the system message though the prompt holds known rows', async () => {
    const pool = await startedPool({ profiles: exactProfiles(), forwardWhen: /plan a query/i });
    expect((await ask(pool.url, promptOf(4), { schema, system: 'You plan a query.' })).status).toBe(501);
    expect((await ask(pool.url, promptOf(4), { schema })).status).toBe(200);
  });

  it('a real model that fails is named, and no answer is made up', async () => {
    const broken = await startedPool({ profiles: withFaults(exactProfiles(), { serverError: 1 }) });
    for (const url of [broken.url, 'http://127.0.0.1:1/v1']) {
      const pool = await startedPool({ profiles: exactProfiles(), forward: { url, model: 'sim-mini' } });
      const reply = await ask(pool.url, 'Draft a plan.');
      expect(reply.status).toBe(502);
      expect(JSON.stringify(reply.body)).toMatch(/real model sim-mini.*which failed.*forward_failed/);
      expect(reply.text).toBe('');
      expect(pool.counts()['sim-strong']).toMatchObject({ forwarded: 1, forwardFailed: 1 });
    }
  });
});

function wellFormed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function waitFor(met: () => boolean): Promise<void> {
  for (let turn = 0; !met(); turn++) {
    if (turn > 500) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
