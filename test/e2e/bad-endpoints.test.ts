import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../plans/protocol/errors.js';
import { type Endpoint, type FaultKind, startEndpoint } from '../support/endpoint.js';
import { openProject, type Project, reviews } from '../support/project.js';
import { type CliRun, runCli } from '../support/run-cli.js';

/** An endpoint that is of no use, through the command and the real stack: what the user is told, and that it ends. */

const faults: readonly FaultKind[] = ['401', '404', 'html', 'hang'];
const rows = 3;
/** Further passes over a partition; the default takes half a minute. */
const retries = 2;
/** Passes after which an endpoint that never replied counts as not there (`workflows/policies.ts`). */
const absentPasses = 4;
const limits = (kind: string) => (kind === 'hang' ? { limits: { concurrency: 16, retries } } : {});
const endpoints = new Map<string, Endpoint>();
let project: Project;

beforeAll(async () => {
  for (const kind of faults) endpoints.set(kind, await startEndpoint({ faults: [{ kind }] }));
  const closed = await startEndpoint();
  await closed.close();
  endpoints.set('refused', closed);
  const others = [...endpoints].map(
    ([kind, { baseUrl }]) => [`model-${kind}`, { baseUrl, timeoutMs: 300, ...limits(kind) }] as const,
  );
  project = await openProject({ others: Object.fromEntries(others) });
  await project.write('reviews.csv', reviews(rows, { tag: 'nobody else may read this' }));
  await (await project.connect()).close();
});
afterAll(async () => {
  await project.close();
  for (const kind of faults) await endpoints.get(kind)?.close();
});

const sql = "SELECT id FROM reviews WHERE AI_FILTER('bad? {text}') ORDER BY id";
const ask = (kind: string) =>
  runCli(project, 'query', sql, '--table', 'reviews=reviews.csv', '--json', '--model', `model-${kind}`);
const calls = (kind: string) => endpoints.get(kind)?.counts.calls ?? 0;

function checkSecrets({ stdout, stderr }: CliRun): void {
  for (const secret of ['sk-test-secret', 'sk-123', 'nobody else', 'review 0', 'Bearer']) {
    expect(stdout + stderr).not.toContain(secret);
  }
}

describe('ends at once, after the calls that were in flight', () => {
  test.concurrent.each([
    ['401', /refused the key \(HTTP 401/, /API key/],
    ['404', /does not know the model \(HTTP 404/, /model id/],
  ])('%s', async (kind, message, hint) => {
    const run = await ask(kind);
    expect(run.code).toBe(exitCodes.failed);
    expect(run.stdout).toBe('');
    expect(JSON.parse(run.stderr)).toMatchObject({
      code: 'ModelRefused',
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(hint) as string,
      exitCode: exitCodes.failed,
    });
    expect(calls(kind)).toBeLessThanOrEqual(rows);
    checkSecrets(run);
  });
});

describe('ends after a few passes, before anything was ever replied', () => {
  test.concurrent.each([
    ['html', /a web page: check baseUrl/],
    ['refused', /ECONNREFUSED/],
  ])('%s', async (kind, message) => {
    const run = await ask(kind);
    expect(run.code).toBe(exitCodes.unreachable);
    expect(run.stdout).toBe('');
    const error = JSON.parse(run.stderr) as { readonly message: string };
    expect(error).toMatchObject({
      code: 'EndpointUnreachable',
      hint: expect.stringMatching(/baseUrl.*OPENAI_BASE_URL.*fermata doctor/) as string,
    });
    expect(error.message).toMatch(message);
    expect(error.message).toContain(endpoints.get(kind)?.baseUrl);
    expect(calls(kind)).toBeLessThanOrEqual(rows * absentPasses);
    checkSecrets(run);
  });
});

test('one that hangs is tried again, then is an error of each row', async () => {
  const run = await ask('hang');
  expect(run.code).toBe(exitCodes.rowErrors);
  const { errors, spend, rowCount } = JSON.parse(run.stdout) as {
    readonly errors: { readonly count: number; readonly rows: readonly object[] };
    readonly spend: object;
    readonly rowCount: number;
  };
  expect(rowCount).toBe(0);
  expect(errors).toMatchObject({ count: rows, ratio: 1 });
  for (const error of errors.rows) {
    expect(error).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/no answer within 0\.3 s/) as string,
    });
  }
  const passes = retries + 1;
  expect(spend).toMatchObject({ calls: rows * passes, failed: rows, usd: 0 });
  expect(calls('hang')).toBeLessThanOrEqual(rows * passes);
  checkSecrets(run);
});
