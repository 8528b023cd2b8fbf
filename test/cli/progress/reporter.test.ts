import { describe, expect, it } from 'vitest';
import { progressReporter } from '../../../cli/progress/reporter.js';
import { textWidth } from '../../../cli/render/width.js';
import type { OperatorProgress, RunProgress } from '../../../plans/protocol/run.js';
import { captured } from '../../support/fake-cli.js';

const filter: OperatorProgress = {
  id: 'f0',
  operator: 'filter',
  intent: 'the review praises the ending',
  model: 'small',
  inputs: 100,
  answered: 0,
  calls: 0,
  cached: 0,
  retries: 0,
  failed: 0,
  usd: 0,
  unpriced: 0,
  inputTokens: 0,
  outputTokens: 0,
  ms: 0,
};

function record(seconds: number, change: Partial<OperatorProgress>, more: Partial<RunProgress> = {}): RunProgress {
  return {
    v: 1,
    runId: 'r',
    phase: 'running',
    operators: [{ ...filter, ...change }],
    startedAt: 0,
    updatedAt: seconds * 1000,
    ...more,
  };
}

/** Shows the records as they would come, one by one at their own time. */
async function shown(
  kind: 'auto' | 'plain' | 'json' | 'none',
  records: readonly RunProgress[],
  columns?: number,
): Promise<string> {
  const stderr = captured(columns);
  let now = 0;
  const reporter = progressReporter(kind, { stderr, now: () => now });
  for (const item of records) {
    now = item.updatedAt;
    await reporter.update(item);
  }
  await reporter.end();
  return stderr.text();
}

const steady = Array.from({ length: 11 }, (_, second) =>
  record(second, { answered: second * 2, calls: second * 2, usd: second * 0.01 }),
);

describe('plain', () => {
  it('prints a line an operator about every five seconds, and the last state', async () => {
    const lines = (await shown('plain', steady)).trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain('20/100 (20 %) · 20 calls · 0 cached · $0.1000 · ETA 40 s');
  });

  it('prints nothing twice', async () => {
    const still = [0, 10, 20, 30].map((second) => record(second, { answered: 5, calls: 5 }));
    expect((await shown('plain', still)).trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('ETA', () => {
  it('is not guessed from too little', async () => {
    expect(await shown('plain', [record(0, {}), record(1, { answered: 2, calls: 2 })])).toContain('ETA …');
  });

  it('takes no pace from answers that were cached', async () => {
    const burst = [
      record(0, {}),
      record(4, { answered: 50, cached: 50 }),
      record(10, { answered: 60, calls: 10, cached: 50 }),
    ];
    expect(await shown('plain', burst)).toContain('60/100 (60 %) · 10 calls · 50 cached · $0.00 · ETA 40 s');
  });

  it('forgets the pace over a pause', async () => {
    const paused = [...steady, record(500, { answered: 20, calls: 20 }, { phase: 'paused' })];
    expect(await shown('plain', paused)).toMatch(/paused\n$/);
    expect(await shown('plain', [...paused, record(506, { answered: 22, calls: 22 })])).toMatch(/ETA …\n$/);
  });
});

it.each([
  [{ calls: 3, unpriced: 3 }, 'price unknown'],
  [{ calls: 3, unpriced: 1, usd: 0.5 }, '$0.5000 + 1 call of unknown price'],
  [{ calls: 3, usd: 0.0000001 }, '<$0.000001'],
])('never shows an unknown or tiny price as nought: %j', async (change, text) => {
  const printed = await shown('plain', [record(0, change)]);
  expect(printed).toContain(text);
  expect(printed).not.toContain('$0.00 ');
});

describe('live', () => {
  it('redraws in place and stays within the terminal', async () => {
    const text = await shown('auto', steady, 60);
    const frames = text.split('\u001b[2A\r\u001b[J');
    expect(frames).toHaveLength(steady.length);
    for (const line of frames.flatMap((frame) => frame.split('\n'))) expect(textWidth(line)).toBeLessThan(60);
  });

  it('is plain where stderr is no terminal', async () => {
    expect(await shown('auto', steady)).toBe(await shown('plain', steady));
  });

  it('keeps remarks above the lines', async () => {
    const stderr = captured(80);
    const reporter = progressReporter('auto', { stderr, now: () => 0 });
    await reporter.update(record(0, {}));
    await reporter.note('hello');
    expect(stderr.text().split('\u001b[2A\r\u001b[J')[1]).toMatch(/^hello\nrunning/);
  });
});

it('json gives every record as a line', async () => {
  const lines = (await shown('json', steady)).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    steady.map((item) => ({ schema: 'fermata/progress/1', event: 'progress', ...item })),
  );
});

it('none gives nothing', async () => {
  expect(await shown('none', steady)).toBe('');
});
