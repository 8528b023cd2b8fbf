/**
 * CPU time of one model call in this process: plain `fetch` beside our client, against a local stub in a process of its
 * own. `node dist/bench/model-call.js [calls] [concurrency]`; a table on stderr, JSON on stdout.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openOpenAi } from '../workers/runtime/models/openai/open.js';
import { startEndpoint } from '../test/support/endpoint.js';
import type { ModelRequest } from '../activities/ports.js';

const latencyMs = 50;

interface Measured {
  readonly way: string;
  /** Milliseconds of CPU, user and system together. */
  readonly cpuMsPerCall: number;
  readonly callsPerSecond: number;
}

const request: ModelRequest = {
  system: 'Decide whether the statement holds for the data. Reply with {"answer": true} or {"answer": false}.',
  content: [
    { type: 'text', text: 'Does it report a crash?\n\n'.padEnd(700, 'the brakes failed and the car hit a tree. ') },
  ],
  output: { kind: 'boolean' },
  maxOutputTokens: 32,
  temperature: 0,
  confidence: false,
};

async function runAll(call: () => Promise<unknown>, calls: number, concurrency: number): Promise<void> {
  let left = calls;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await call();
    }),
  );
}

async function measure(
  way: string,
  call: () => Promise<unknown>,
  calls: number,
  concurrency: number,
): Promise<Measured> {
  await runAll(call, concurrency * 4, concurrency);
  const cpu = process.cpuUsage();
  const began = performance.now();
  await runAll(call, calls, concurrency);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - began) / 1000;
  return { way, cpuMsPerCall: (user + system) / 1000 / calls, callsPerSecond: calls / seconds };
}

async function main(calls: number, concurrency: number): Promise<void> {
  const stub = fork(fileURLToPath(import.meta.url), ['stub']);
  const baseUrl = await new Promise<string>((resolve) => stub.once('message', (url) => resolve(url as string)));
  const opened = await openOpenAi(
    'stub',
    {
      kind: 'openai',
      model: 'stub-1',
      task: 'chat',
      baseUrl,
      apiKeyEnv: 'STUB_KEY',
      timeoutMs: 60_000,
      omit: [],
      jsonSchema: true,
      modalities: ['text'],
      limits: { concurrency },
    },
    { env: { STUB_KEY: 'k' }, modelsDir: '' },
  );
  const { model } = opened;
  const { signal } = new AbortController();
  const body = {
    model: 'stub-1',
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: request.content[0]?.type === 'text' ? request.content[0].text : '' },
    ],
  };
  const plain = async (): Promise<unknown> => {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
      body: JSON.stringify(body),
    });
    return response.json();
  };
  const fetched = await measure('plain fetch', plain, calls, concurrency);
  const ours = await measure('fermata', async () => model.language?.complete(request, signal), calls, concurrency);
  const ratio = ours.cpuMsPerCall / fetched.cpuMsPerCall;
  for (const row of [fetched, ours]) {
    process.stderr.write(
      `${row.way.padEnd(12)} ${row.cpuMsPerCall.toFixed(3)} ms CPU/call  ${row.callsPerSecond.toFixed(0)} calls/s\n`,
    );
  }
  process.stderr.write(`ratio        ${ratio.toFixed(2)}\n`);
  process.stdout.write(
    `${JSON.stringify({ bench: 'model-call', calls, concurrency, latencyMs, rows: [fetched, ours], ratio })}\n`,
  );
  await opened.close();
  stub.kill();
}

if (process.argv[2] === 'stub') {
  const { baseUrl } = await startEndpoint({ latencyMs });
  process.send?.(baseUrl);
} else {
  await main(Number(process.argv[2] ?? 4000), Number(process.argv[3] ?? 64));
}
