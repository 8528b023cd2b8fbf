import { expect, test } from 'vitest';
import { candidatesFor } from '../../../plans/logical/candidates.js';
import { draftPlans, readDraft } from '../../../plans/logical/drafting/draft.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import { plannerRecordings, recordedPlanner } from '../../support/recorded-planner.js';

/** What planners once said, drafted with again: each recording holds a faulty draft. */

const recordings = plannerRecordings();

test('there are recordings, and each says who answered', () => {
  expect(recordings.length).toBeGreaterThanOrEqual(3);
  for (const [, { schema, planner }] of recordings) {
    expect(schema).toBe('fermata/planner-recording/1');
    expect(planner).not.toBe('');
  }
});

test.each(recordings)('%s', async (_, recording) => {
  const { instance, attempts, exchanges } = recording;
  const { ask, prompts } = recordedPlanner(recording);
  const drafted = await draftPlans(instance, defaultCatalog, ask, { attempts });
  // All that was recorded is asked for again, and nothing else.
  expect(prompts).toHaveLength(exchanges.length);
  expect(drafted.map(({ outcome, rounds }) => `${outcome} after ${rounds}`)).toMatchSnapshot();
  const faults = exchanges.flatMap(({ answer }) => {
    const read = readDraft(answer, instance, defaultCatalog);
    return read.ok ? [] : read.issues.map(({ fault, at }) => `${fault} at ${at}`);
  });
  expect(faults.length).toBeGreaterThan(0);
  expect(faults).toMatchSnapshot();
  // Every repair names what was wrong with the answer before it.
  exchanges.forEach(({ round }, at) => {
    if (round === 0) return;
    const before = readDraft(exchanges[at - 1]?.answer ?? '', instance, defaultCatalog);
    for (const issue of before.ok ? [] : before.issues.slice(0, 30)) expect(prompts[at]).toContain(issue.message);
  });
  const drafts = drafted.flatMap((attempt) => (attempt.outcome === 'clean' ? [attempt] : []));
  const { candidates } = candidatesFor(instance, defaultCatalog, { drafts });
  expect(candidates.length).toBeGreaterThanOrEqual(3);
  expect(candidates.filter(({ origin }) => origin.seed.startsWith('draft')).length >= drafts.length).toBe(true);
});
