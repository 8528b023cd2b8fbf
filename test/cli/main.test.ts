/** The real command as a process, for what only a process shows: which modules it loads. */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandTable } from '../../cli/commands/index.js';
import { transpile } from '../support/transpile.js';

const run = promisify(execFile);
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string;
};

/** Packages of which one import costs more than `--version` may take. */
const heavy =
  /node_modules\/(@temporalio|@duckdb|@aws-sdk|apache-arrow|lmdb|onnxruntime-node|node-llama-cpp|openai|zod|pino)\//;

let built: ReturnType<typeof transpile>;
beforeAll(() => {
  built = transpile('cli/main.ts');
  const manifest = { type: 'module', version };
  writeFileSync(join(built.dir, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(built.dir, 'trace.mjs'),
    `import { register } from 'node:module';
     register('data:text/javascript,' + encodeURIComponent(\`
       import { writeSync } from 'node:fs';
       export async function load(url, context, next) { writeSync(2, 'loaded ' + url + '\\\\n'); return next(url, context); }
     \`));`,
  );
});
afterAll(() => rmSync(built.dir, { recursive: true, force: true }));

async function fermata(...args: string[]): Promise<{ readonly stdout: string; readonly modules: readonly string[] }> {
  const { stdout, stderr } = await run(process.execPath, [
    '--import',
    join(built.dir, 'trace.mjs'),
    built.entry,
    ...args,
  ]);
  const modules = [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, url]) => url ?? '');
  return { stdout, modules };
}

describe('the process', () => {
  it.each([['--version'], ['-V']])('%s prints the version and loads nothing heavy', async (flag) => {
    const { stdout, modules } = await fermata(flag);
    expect(stdout).toBe(`${version}\n`);
    expect(modules.some((url) => url.includes('commander'))).toBe(true);
    expect(modules.filter((url) => heavy.test(url))).toEqual([]);
    expect(modules.filter((url) => /\/(workers|client|workflows|activities)\//.test(url))).toEqual([]);
  });

  it('--help lists every command and loads nothing heavy', async () => {
    const { stdout, modules } = await fermata('--help');
    for (const { name } of commandTable) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    expect(modules.filter((url) => heavy.test(url))).toEqual([]);
  });

  it('a query is read without Arrow, the settings without Temporal', async () => {
    const { modules } = await fermata('query', '--help');
    expect(modules.filter((url) => heavy.test(url))).toEqual([]);
    const shown = await fermata('config', 'show', '--json');
    expect(shown.stdout).toContain('fermata/config/1');
    expect(
      shown.modules.filter((url) => /node_modules\/(@temporalio\/(?!envconfig|common)|apache-arrow)/.test(url)),
    ).toEqual([]);
  });

  it('the trace does see what a command loads', async () => {
    const { modules } = await fermata('query', '--help');
    expect(modules.some((url) => url.endsWith('/cli/commands/query.js'))).toBe(true);
  });
});
