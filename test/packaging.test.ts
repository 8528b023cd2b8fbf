import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  packages: Record<string, { version: string; resolved?: string }>;
};

test('the workflow bundle holds no zod, no tuner and no runtime library', () => {
  const bundle = readFileSync(`${root}dist/workflow-bundle.js`, 'utf8');
  // Module paths stand in the bundle's comments and source map.
  for (const foreign of ['node_modules/zod', 'plans/tuning', '@duckdb', 'apache-arrow', 'node_modules/openai']) {
    expect(bundle.includes(foreign), foreign).toBe(false);
  }
  expect(bundle.includes('workflows/query.js')).toBe(true);
});

test('the bundled command starts by itself, and names the licences of what is in it', () => {
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [`${root}dist/bin/fermata.js`, ...args], { encoding: 'utf8' });
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string };
  expect(run('--version')).toBe(`${version}\n`);
  expect(run('config', 'show', '--json')).toContain('"schema":"fermata/config/1"');
  const licences = readFileSync(`${root}dist/bin/LICENSES.txt`, 'utf8');
  for (const name of ['@temporalio/client', '@grpc/grpc-js', 'apache-arrow', 'zod', 'yaml', 'commander']) {
    expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  }
});

test('every @temporalio package has one version, and all share one protobufjs', () => {
  const temporal = Object.entries(lock.packages).filter(([path]) => /node_modules\/@temporalio\/[^/]+$/.test(path));
  expect(temporal.length).toBeGreaterThan(5);
  expect(new Set(temporal.map(([, { version }]) => version)).size).toBe(1);
  expect(temporal.every(([path]) => path.lastIndexOf('node_modules') === 0)).toBe(true);
  const nested = Object.keys(lock.packages).filter((path) => /@temporalio\/.*node_modules\/protobufjs$/.test(path));
  expect(nested).toEqual([]);
  expect(lock.packages['node_modules/protobufjs']?.version).toMatch(/^8\./);
});

test('the lock file names no registry host', () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
});

test('the package holds the program and the demo, no tests and no weights', { timeout: 60_000 }, () => {
  const listed = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }),
  ) as {
    files: { path: string; size: number }[];
  }[];
  const paths = listed[0]?.files.map(({ path }) => path) ?? [];
  for (const needed of [
    'dist/bin/fermata.js',
    'dist/bin/LICENSES.txt',
    'dist/client/index.js',
    'dist/workflow-bundle.js',
    'demo/complaints.sql',
    'LICENSE',
  ]) {
    expect(paths, needed).toContain(needed);
  }
  expect(paths.filter((path) => /^(test|bench|dist\/test|dist\/bench)\//.test(path))).toEqual([]);
  expect(listed[0]?.files.filter(({ size }) => size > 3_000_000)).toEqual([]);
});
