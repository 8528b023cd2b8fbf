import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatCall } from '../support/endpoint.js';
import { openProject, type Project, reviews } from '../support/project.js';
import { runCli } from '../support/run-cli.js';

/** `fermata query --strategy cascade` with the real stack; the endpoint serves a large and a small model. */

const rows = 900;
let project: Project;
let asked: Record<string, number> = {};

/** The small model takes every 90th review for the contrary; the fake endpoint reports the same confidence for all. */
function answer({ prompt, body }: ChatCall): string {
  const model = String(body['model']);
  asked[model] = (asked[model] ?? 0) + 1;
  const wrong = model === 'fake-mini' && Number(/review (\d+)/.exec(prompt)?.[1]) % 90 === 0;
  return JSON.stringify({ answer: prompt.includes('bad film') !== wrong });
}

beforeAll(async () => {
  project = await openProject({ endpoint: { answer, logprob: -0.01 }, others: { mini: { model: 'fake-mini' } } });
  await project.write('reviews.csv', reviews(rows));
});
afterAll(() => project.close());

const query = "SELECT id FROM reviews WHERE AI_FILTER('Is this a bad review? {text}') ORDER BY id";
const run = (...flags: readonly string[]) => {
  asked = {};
  return runCli(project, 'query', query, '--table', 'reviews.csv', '-o', 'csv', '--yes', ...flags);
};

describe('fermata query --strategy cascade', () => {
  test('reaches the targets with a part of the calls, and reports who decided what', async () => {
    const flags = ['--strategy', 'cascade', '--proxy', 'mini', '--recall', '0.85', '--precision', '0.85'];
    const { code, stdout, stderr } = await run(...flags);
    expect(stderr).toMatch(
      /cascade: mini decided [\d.]+ %, the oracle was asked \d+ of 900, recall ≥ 0.85 and precision ≥ 0.85 at 95 % confidence/,
    );
    expect(code).toBe(0);
    const ids = stdout.trim().split(/\r?\n/).slice(1).map(Number);
    const found = ids.filter((id) => id % 3 === 0).length;
    expect(found / (rows / 3)).toBeGreaterThanOrEqual(0.85);
    expect(found / ids.length).toBeGreaterThanOrEqual(0.85);
    expect(asked['fake-mini']).toBe(rows);
    expect(asked['fake-1']).toBeLessThan(rows / 2);
    for (const step of ['filter·proxy', 'filter·sample', 'filter·rest', 'decided']) expect(stderr).toContain(step);

    const again = await run(...flags);
    expect(again.stdout).toBe(stdout);
    expect(asked).toEqual({});
  });

  test('--dry-run prices both models, and asks neither', async () => {
    const { code, stdout, stderr } = await run('--no-cache', '--dry-run', '--strategy', 'cascade', '--proxy', 'mini');
    expect([code, asked]).toEqual([0, {}]);
    expect(`${stdout}${stderr}`).toMatch(/filter +mini [\s\S]*filter +fake /);
  });

  test.each([
    ['an unknown proxy', ['--strategy', 'cascade', '--proxy', 'nano'], 2, /FRM1203.*nano/],
    ['no proxy', ['--strategy', 'cascade'], 2, /needs a proxy/],
    ['a target without a cascade', ['--recall', '0.9'], 2, /--strategy cascade/],
  ])('%s is refused before any call', async (_, flags, exit, message) => {
    const { code, stdout, stderr } = await run(...flags);
    expect([code, stdout, asked]).toEqual([exit, '', {}]);
    expect(stderr).toMatch(message);
  });
});
