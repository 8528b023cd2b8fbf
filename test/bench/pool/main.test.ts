import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { transpile } from '../../support/transpile.js';
import { answerOf, ask, object, textOf, things } from './support.js';

const program = transpile('bench/pool/main.ts');
const truthFile = join(program.dir, 'truth.json');
writeFileSync(truthFile, JSON.stringify(things(20)));
const profiles = resolve(import.meta.dirname, '../../../bench/pool/profiles.json');
afterAll(() => rmSync(program.dir, { recursive: true }));

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
});

function start(...args: readonly string[]) {
  const env = { ...process.env, FERMATA_DATA: undefined };
  const running = spawn(process.execPath, [program.entry, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child = running;
  let out = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  running.stderr.setEncoding('utf8').on('data', (text: string) => (out += text));
  const ended = once(running, 'close').then(([code]) => ({ code: code as number | null, out }));
  const listening = new Promise<{ url: string; out: string }>((found, lost) => {
    running.stdout.on('data', () => {
      const url = /^http:\S+$/m.exec(out)?.[0];
      if (url !== undefined) found({ url, out });
    });
    void ended.then((end) => lost(new Error(`ended with ${String(end.code)}: ${end.out}`)));
  });
  listening.catch(() => undefined);
  return { running, listening, ended };
}

test('says that it is a simulation, answers from a truth file, and ends when asked', async () => {
  const { running, listening, ended } = start(
    '--truth',
    truthFile,
    '--profiles',
    profiles,
    '--latency-scale',
    '0',
    '--seed',
    '3',
  );
  const { url, out } = await listening;
  expect(out).toMatch(/^SIMULATION/);
  expect(out).toContain('20 tuples, 7 tasks, difficulty sourced, seed 3');
  const reply = await ask(url, `<data>\n${textOf(4)}\n</data>\nIs it old?`, {
    schema: object({ answer: { type: 'boolean' } }),
  });
  expect(typeof answerOf(reply)).toBe('boolean');
  running.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test.each([
  ['no truth', [], /No truth/],
  ['data without a folder', ['--data', 'movie'], /FERMATA_DATA/],
  ['a data set that is not there', ['--data', 'opera'], /Allowed choices/],
  ['faults that are none', ['--truth', truthFile, '--faults', 'gremlins=0.1'], /rateLimited/],
  ['a share above 1', ['--truth', truthFile, '--faults', 'hang=2'], /share/],
  ['a forward without a model', ['--truth', truthFile, '--forward-url', 'http://127.0.0.1:1/v1'], /go together/],
  ['a port that is no number', ['--port', 'many'], /Not a number/],
])('refuses %s', async (_, args, message) => {
  const { code, out } = await start(...args).ended;
  expect(code).not.toBe(0);
  expect(out).toMatch(message);
});
