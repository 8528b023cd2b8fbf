import type { AppliedPartition, ApplyPartitionInput } from '../../../plans/protocol/activities.js';
import type { OutputType } from '../../../plans/operators/output.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { runObjects } from '../../../plans/protocol/run-plan.js';
import { codeRow, ruleRow } from '../../../plans/physical/routed/inputs.js';
import { labelValue } from '../../../plans/physical/routed/label.js';
import type { RoutedImplementation, RoutedPlan } from '../../../plans/physical/routed/plan.js';
import { parseRoutedId } from '../../../plans/physical/routed/steps.js';
import { abstainedCode, policyOf, verdictOf } from '../../../plans/physical/routed/verdict.js';
import type { CodeOutcome } from '../../../plans/physical/synthesis/code.js';
import { type RuleProgram, runRules } from '../../../plans/physical/synthesis/rules.js';
import type { CodeRunner } from '../../code-port.js';
import { beating } from '../../heartbeat.js';
import type { AnswerRow, InputRow } from '../../ports.js';
import { loadJson } from '../../run-plans.js';
import { runTask, type RunTaskPorts } from '../logical/run-task.js';
import { openRouted, readInputs, type RoutedPorts } from './files.js';

export interface ProgramPorts extends RoutedPorts, Pick<RunTaskPorts, 'codeTasks'> {
  readonly code: CodeRunner;
}

/** Rules or code of a routed plan, or code of a task, over one partition of the inputs that they are to answer: no call, no cost. */
export function createRunProgram(ports: ProgramPorts) {
  return (input: ApplyPartitionInput): Promise<AppliedPartition> => {
    const scope = ports.scope();
    return beating(scope, async () => {
      const named = parseRoutedId(input.call);
      if (named === undefined) return runTask(ports, input);
      const job = await openRouted(ports, { ...input, call: named.call });
      const { implementations } = await loadJson<RoutedPlan>(ports.store, job.routed.plan);
      const implementation = named.step === 'safe' ? undefined : implementations[named.step];
      if (implementation === undefined) throw new FermataError('Internal', `${input.call} is no program`);
      const inputs = await readInputs(ports, job.at, input.partition, named.step);
      const { output } = job.planned.call;
      const rows = await answersOf(ports.code, implementation, inputs, output, scope.stop);
      const name = runObjects.answers(input.runId, input.wave, input.call, input.partition);
      await ports.store.putNamed(name, ports.codec.encodeAnswers(rows));
      const answered = rows.filter(({ state }) => state === 'ok').length;
      const reservation = { runId: input.runId, holder: `${input.wave}/${input.call}/${input.partition}` };
      await ports.ledger.open(reservation);
      await ports.ledger.tally(reservation, input.call, { answered, cached: 0, savedUsd: 0, failed: 0 });
      const policy = policyOf(job.routed, named.step);
      return {
        answered,
        passed: 0,
        failed: 0,
        transient: 0,
        undecided: 0,
        unsure: rows.filter((row) => verdictOf(row, policy) === 'safe').length,
      };
    });
  };
}

async function answersOf(
  code: CodeRunner,
  implementation: RoutedImplementation,
  inputs: readonly InputRow[],
  output: OutputType,
  stop: AbortSignal,
): Promise<readonly AnswerRow[]> {
  if ('program' in implementation) return byRules(implementation.program, inputs, output);
  if (!('code' in implementation)) throw new FermataError('Internal', `${implementation.name} is no program`);
  const source = { source: implementation.code, output };
  const outcomes = await code.run(
    source,
    inputs.map(({ values }) => codeRow(values)),
    stop,
  );
  return inputs.map((row, at) => codeAnswer(row.in, outcomes[at]));
}

function byRules(program: RuleProgram, inputs: readonly InputRow[], output: OutputType): readonly AnswerRow[] {
  const answer = runRules(program);
  return inputs.map(({ in: at, values }) => {
    const { label, confidence } = answer(ruleRow(values));
    const value = labelValue(label, output);
    if (value === undefined) return failed(at, `${JSON.stringify(label)} is no answer`);
    return { in: at, state: 'ok', value: JSON.stringify(value), confidence };
  });
}

function codeAnswer(at: number, outcome: CodeOutcome | undefined): AnswerRow {
  switch (outcome?.state) {
    case 'ok': {
      const { value, confidence } = outcome;
      return { in: at, state: 'ok', value: JSON.stringify(value), ...(confidence === undefined ? {} : { confidence }) };
    }
    case 'abstained':
      return { in: at, state: 'error', code: abstainedCode, message: 'the code cannot tell' };
    case 'failed':
      return failed(at, `${outcome.fault}: ${outcome.message}`);
    case undefined:
      return failed(at, 'the code gave no outcome');
  }
}

/** The default model answers in its place, so that this is seen by nobody. */
function failed(at: number, message: string): AnswerRow {
  return { in: at, state: 'error', code: 'badOutput', message: message.slice(0, 500) };
}
