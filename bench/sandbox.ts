/**
 * Rows a second of generated code: a fresh context a batch beside one that lives on, in turns within one run, with two
 * children. `node dist/bench/run.js sandbox [rows]`.
 */
import type { GeneratedCode } from '../plans/physical/synthesis/code.js';
import { mulberry32 } from '../plans/tuning/numeric/random.js';
import type { ChildUse } from '../workers/runtime/sandbox/child.js';
import { openSandbox, type Sandbox, type SandboxOptions } from '../workers/runtime/sandbox/open.js';
import { type Report, type Row, round } from './harness/report.js';

const children = 2;
const rounds = 5;
const { signal } = new AbortController();

/** What drafted code looks like: keywords, a regular expression, a year. */
const code: GeneratedCode = {
  source: `(row) => {
  const text = row.text.toLowerCase();
  const negative = ['broken', 'bad', 'crash', 'failed', 'refund', 'worst', 'smoke', 'fire'];
  let score = 0;
  for (const word of negative) if (text.includes(word)) score += 1;
  const year = /\\b(19|20)\\d{2}\\b/.exec(text);
  const amount = /\\$\\s?(\\d+(?:\\.\\d{2})?)/.exec(text);
  return { answer: { negative: score > 1, year: year ? Number(year[0]) : null, amount: amount ? Number(amount[1]) : null }, confidence: Math.min(1, 0.5 + score / 10) };
}`,
  output: {
    kind: 'struct',
    fields: [
      { name: 'negative', type: { kind: 'boolean' } },
      { name: 'year', type: { kind: 'integer' } },
      { name: 'amount', type: { kind: 'number' } },
    ],
  },
};

export async function bench(args: readonly string[]): Promise<Report> {
  const count = Number(args[0] ?? 10_000);
  const rows = texts(count);
  const variants: Readonly<Record<string, SandboxOptions>> = {
    'fresh context a batch of 100': { children },
    'one context for all batches of 100': { children, keepContext: true },
  };
  const times = new Map(Object.keys(variants).map((name): [string, number[]] => [name, []]));
  const used: ChildUse[] = [];
  const open = Object.entries(variants).map(([name, options]): [string, Sandbox] => [
    name,
    openSandbox({ ...options, observe: (use) => used.push(use) }),
  ]);
  try {
    for (const [, sandbox] of open) await sandbox.run(code, rows.slice(0, 1000), signal);
    for (let at = 0; at < rounds; at++) {
      for (const [name, sandbox] of at % 2 === 0 ? open : [...open].reverse()) {
        const from = performance.now();
        const outcomes = await sandbox.run(code, rows, signal);
        times.get(name)?.push(performance.now() - from);
        if (outcomes.some(({ state }) => state !== 'ok')) throw new Error('a row without an answer');
      }
    }
  } finally {
    for (const [, sandbox] of open) await sandbox.close();
  }
  return {
    bench: 'sandbox',
    simulated: 'The rows are made of words drawn by chance; the code is hand-written.',
    sections: [
      {
        title: `${count} rows of about 870 bytes, ${children} children, ${rounds} rounds in turns`,
        rows: table(times, count),
      },
      {
        title: 'Use of a batch',
        rows: [
          {
            'cpu ms, most': round(Math.max(...used.map(({ cpuMs }) => cpuMs))),
            'RSS of a child MiB, most': round(Math.max(...used.map(({ rssMb }) => rssMb))),
          },
        ],
      },
    ],
  };
}

function table(times: ReadonlyMap<string, readonly number[]>, count: number): readonly Row[] {
  const fastest = Math.min(...[...times.values()].map(median));
  return [...times].map(([name, ms]) => ({
    variant: name,
    'median ms': round(median(ms)),
    'rows/s': Math.round((1000 * count) / median(ms)),
    'of the fastest': round(fastest / median(ms), 2),
  }));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function texts(count: number): readonly { readonly text: string }[] {
  const random = mulberry32(7);
  const words =
    'the brake failed on road and car was bad at speed of 2019 $125.50 smoke from engine dealer said no refund'.split(
      ' ',
    );
  return Array.from({ length: count }, () => {
    let text = '';
    while (text.length < 850) text += `${words[Math.floor(random.uniform() * words.length)] ?? ''} `;
    return { text };
  });
}
