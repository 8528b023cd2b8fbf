import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../plans/protocol/errors.js';
import { type Endpoint, type FaultKind, startEndpoint } from '../support/endpoint.js';
import { openProject, type Project, reviews } from '../support/project.js';
import { type CliRun, runCli } from '../support/run-cli.js';

/** An endpoint that is of no use, through the command and the real stack: what the user is told, and that it ends. */

const faults: readonly FaultKind[] = ['401', '404', 'html', 'hang'];
const rows = 3;
/** Passes over a partition (`workflows/policies.ts`), which is where the half minute of these tests goes. */
const passes = 8;
const endpoints = new Map<string, Endpoint>();
let project: Project;

beforeAll(async () => {
  for (const kind of faults) endpoints.set(kind, await startEndpoint({ faults: [{ kind }] }));
  const closed = await startEndpoint();
  await closed.close();
  endpoints.set('refused', closed);
  const others = [...endpoints].map(([kind, { baseUrl }]) => [`model-${kind}`, { baseUrl, timeoutMs: 300 }] as const);
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

describe('is tried for half a minute, then is an error of each row', () => {
  test.concurrent.each([
    ['html', 'notJson', /a web page: check baseUrl/],
    ['hang', 'timeout', /no answer within 0\.3 s/],
    ['refused', 'connection', /ECONNREFUSED/],
  ])(
    '%s',
    async (kind, code, message) => {
      const run = await ask(kind);
      expect(run.code).toBe(exitCodes.rowErrors);
      const { errors, spend, rowCount } = JSON.parse(run.stdout) as {
        readonly errors: { readonly count: number; readonly rows: readonly object[] };
        readonly spend: object;
        readonly rowCount: number;
      };
      expect(rowCount).toBe(0);
      expect(errors).toMatchObject({ count: rows, ratio: 1 });
      for (const error of errors.rows) {
        expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
      }
      expect(spend).toMatchObject({ calls: rows * passes, failed: rows, usd: 0 });
      expect(calls(kind)).toBeLessThanOrEqual(rows * passes);
      checkSecrets(run);
    },
    120_000,
  );
});
