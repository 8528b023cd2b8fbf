// The test command: every check, then every test. The last line is the count of both.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const only = process.argv.slice(2);
const checks = [
  ['format', ['biome', 'format', '.']],
  ['build', ['tsc', '-p', '.']],
  ['bundle', null, ['scripts/bundle-workflows.mjs']],
  ['command', null, ['scripts/bundle-cli.mjs']],
  ['lint', ['eslint', '.']],
  [
    'import boundaries',
    [
      'depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      'plans',
      'activities',
      'workflows',
      'workers',
      'client',
      'cli',
    ],
  ],
  ['unused code', ['knip']],
];

let passed = 0;
let failed = 0;

function run(title, command, args, env = process.env) {
  const started = Date.now();
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
  console.log(`${status === 0 ? 'ok' : 'FAILED'}  ${title}  ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return status === 0;
}

for (const [title, tool, script] of checks) {
  const ok = tool ? run(title, 'npx', ['--no-install', ...tool]) : run(title, process.execPath, script);
  if (ok) passed += 1;
  else failed += 1;
  // Without a build there is nothing to test.
  if (!ok && title === 'build') finish([]);
}

const scratch = mkdtempSync(join(tmpdir(), 'fermata-verify-'));
const summaryFile = join(scratch, 'summary.json');
run('tests', 'npx', ['--no-install', 'vitest', 'run', ...only], { ...process.env, FERMATA_TEST_SUMMARY: summaryFile });
if (existsSync(summaryFile)) {
  const summary = JSON.parse(readFileSync(summaryFile, 'utf8'));
  passed += summary.passed;
  failed += summary.failed;
  rmSync(scratch, { recursive: true });
  finish(summary.skipped);
} else {
  failed += 1;
  finish([]);
}

function finish(skipped) {
  for (const { name, why } of skipped) console.log(`skipped  ${name}${why ? `: ${why}` : ''}`);
  console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  process.exit(failed > 0 ? 1 : 0);
}
