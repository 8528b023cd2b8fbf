/** Plans that a planner model drafts, and what is told of it. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { verifyPlan } from '../../plans/algebra/verify/verify-plan.js';
import { issueText } from '../../plans/algebra/verify/issue.js';
import { type CandidateOptions, contextOf } from '../../plans/logical/candidates.js';
import type { Instance } from '../../plans/logical/instance.js';
import type { DraftedAttempt, Drafts } from '../../plans/protocol/drafting.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { defaultCatalog } from '../../plans/tasks/catalog.js';
import { type Context, usage, withFermata } from '../context.js';
import { type BudgetFlags, budgetOf } from '../query-input.js';
import { cost, counted } from '../render/numbers.js';

export interface DraftFlags extends BudgetFlags {
  readonly planner?: string;
  readonly drafts?: number;
  /** False after `--no-cache`. */
  readonly cache?: boolean;
  readonly record?: string;
}

/** Each earlier draft stands in the prompt of the next. */
const mostDrafts = 20;

/** Has the planner draft, says how it went, and records it where asked. Nothing without `--planner`. */
export async function draftsOf(
  context: Context,
  instance: Instance,
  flags: DraftFlags,
): Promise<NonNullable<CandidateOptions['drafts']>> {
  const { planner: model, drafts: wanted = 1, record: file } = flags;
  if (wanted > mostDrafts) usage(`${wanted} drafts are too many`, `ask for ${mostDrafts} at most`);
  if (model === undefined)
    return file === undefined ? [] : usage('nothing is recorded without a planner', 'add --planner MODEL');
  const options = {
    model,
    budget: budgetOf(flags),
    ...(flags.drafts === undefined ? {} : { attempts: flags.drafts }),
    ...(flags.cache === false ? { cache: false } : {}),
  };
  const drafts = await withFermata(context, async (fermata) => {
    await context.note(`${model} drafts; if you stop waiting, the same command finds its answers`);
    return fermata.draft(instance, options);
  });
  await context.note(toldOf(drafts).join('\n'));
  if (file !== undefined) await record(context, instance, drafts, file);
  return drafts.attempts.flatMap((attempt, at) => plansOf(attempt, at, instance));
}

function plansOf(attempt: DraftedAttempt, at: number, instance: Instance): NonNullable<CandidateOptions['drafts']> {
  if (attempt.outcome !== 'clean') return [];
  const verdict = verifyPlan(attempt.plan, contextOf(instance, defaultCatalog));
  const origin = { seed: `draft ${at + 1}`, why: 'drafted by the planner model' };
  return verdict.ok ? [{ plan: verdict.plan, origin }] : [];
}

function toldOf({ model, attempts, stopped, spend }: Drafts): readonly string[] {
  const { calls, cached, inputTokens, outputTokens, usd, unpriced } = spend;
  return [
    ...attempts.map((attempt, at) => `draft ${at + 1}: ${attemptText(attempt)}`),
    ...(stopped === undefined ? [] : [`drafting stopped (${stopped}); the seeds carry on`]),
    `${model}: ${calls} calls · ${cached} cached · ${inputTokens} tokens in, ${outputTokens} out · ${cost(usd, unpriced)}`,
  ];
}

function attemptText(attempt: DraftedAttempt): string {
  const answers = counted(attempt.rounds, 'answer');
  if (attempt.outcome === 'clean') return `clean after ${answers}`;
  if (attempt.outcome === 'repeated') return `a plan that was there already, after ${answers}`;
  const [first, ...more] = attempt.issues;
  const fault = first === undefined ? 'no plan' : issueText(first);
  return `given up after ${answers}: ${fault}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
}

/** What was asked and answered, for tests that draft without a model. */
async function record(context: Context, instance: Instance, drafts: Drafts, file: string): Promise<void> {
  const { identity, exchanges, attempts } = drafts;
  const recording = {
    schema: 'fermata/planner-recording/1',
    planner: identity,
    instance,
    attempts: attempts.length,
    exchanges,
  };
  try {
    await writeFile(resolve(context.io.cwd, file), `${JSON.stringify(recording, undefined, 2)}\n`);
  } catch (error) {
    throw new FermataError('FileNotFound', `the recording ${file} cannot be written: ${(error as Error).message}`, {
      where: { file },
      cause: error,
    });
  }
}
