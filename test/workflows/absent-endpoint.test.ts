import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallError } from '../../plans/protocol/call-errors.js';
import { type Engine, startEngine } from '../support/engine.js';

/** An endpoint that is not there, through the whole engine: never there ends the run, away for a while does not. */

const yes = '{"answer": true}';
const refused = () => new CallError('connection', 'no connection to the endpoint: ECONNREFUSED', { absent: true });
/** Passes of the first row that find nobody; the fourth would end a run that had no reply yet. */
const away = 4;
let engine: Engine;
let refusals = 0;

beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      answer(prompt) {
        if (!prompt.includes('row 0') || refusals === away) return { text: yes };
        refusals += 1;
        throw refused();
      },
    },
    dead: {
      answer() {
        throw refused();
      },
    },
  });
});
afterAll(() => engine.close());

const rows = (count: number) => `id,text\n${Array.from({ length: count }, (_, id) => `${id},row ${id}`).join('\n')}\n`;

test('never there: one error after a few passes, over all partitions', async () => {
  const run = await engine.start("SELECT id FROM t WHERE AI_FILTER('good? {text}', {model: 'dead'})", rows(60));
  await expect(run.result()).rejects.toMatchObject({
    code: 'EndpointUnreachable',
    message: 'model dead was never reached: no connection to the endpoint: ECONNREFUSED',
    exitCode: 6,
  });
  expect(engine.calls.get('dead')).toBeLessThanOrEqual(60 * away);
});

test('away for a while: waited for, and no row is lost', async () => {
  const run = await engine.start("SELECT id FROM t WHERE AI_FILTER('good? {text}')", rows(3));
  expect(await run.rows()).toHaveLength(3);
  expect(await run.result()).toMatchObject({ stop: 'complete', errors: { count: 0 } });
  expect(refusals).toBe(away);
});
