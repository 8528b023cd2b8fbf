import type { AppliedPartition, ApplyPartitionInput } from '../../../plans/protocol/activities.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import type { CodeCall } from '../../../plans/protocol/logical-run.js';
import { type PlannedCall, runObjects } from '../../../plans/protocol/run-plan.js';
import type { CodeRow, CodeTasks } from '../../../plans/tasks/code/code-task.js';
import type { AnswerRow, InputRow, Ledger, ObjectStore, PartitionCodec } from '../../ports.js';
import { loadPlan, plannedCall } from '../../run-plans.js';

export interface RunTaskPorts {
  readonly store: ObjectStore;
  readonly codec: PartitionCodec;
  readonly ledger: Ledger;
  readonly codeTasks: CodeTasks;
}

/** A task that code does, over one partition of its inputs: no call, no cost, and the same again if it is run again. */
export async function runTask(ports: RunTaskPorts, input: ApplyPartitionInput): Promise<AppliedPartition> {
  const { runId, wave, partition } = input;
  const plan = await loadPlan(ports.store, input.plan);
  const planned = plannedCall(plan, input.call);
  const name = runObjects.inputs(runId, wave, input.call, partition);
  const bytes = await ports.store.getNamed(name);
  if (bytes === undefined)
    throw new FermataError('ObjectMissing', `partition ${name} is not in the store`, { hint: 'start the run again' });
  const rows = codeAnswers(ports.codeTasks, planned, ports.codec.decodeInputs(bytes));
  await ports.store.putNamed(runObjects.answers(runId, wave, input.call, partition), ports.codec.encodeAnswers(rows));
  const failed = rows.filter(({ state }) => state === 'error').length;
  const answered = rows.length - failed;
  const reservation = { runId, holder: `${wave}/${input.call}/${partition}` };
  await ports.ledger.open(reservation);
  await ports.ledger.tally(reservation, input.call, { answered, cached: 0, savedUsd: 0, failed });
  const [first] = rows.filter((row) => row.state === 'error');
  if (first !== undefined && plan.onError === 'fail')
    throw new FermataError('RowErrors', `an input of ${planned.schedule.operator} got no answer: ${first.message}`, {
      where: { operator: input.call },
      hint: 'use --on-error null or skip to keep the other rows',
    });
  return { answered, passed: 0, failed, transient: 0, undecided: 0 };
}

/** The answers of a code task to inputs, in their order. */
export function codeAnswers(
  tasks: CodeTasks,
  { call, code }: PlannedCall,
  inputs: readonly InputRow[],
): readonly AnswerRow[] {
  const task = code === undefined ? undefined : tasks[code.task];
  if (code === undefined || task === undefined)
    throw new FermataError('Internal', `no code does the task of ${call.id}`);
  return inputs.map((row): AnswerRow => {
    try {
      return {
        in: row.in,
        state: 'ok',
        value: JSON.stringify(answerOf(task.run(slotsOf(code, row), code.params), code)),
      };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { in: row.in, state: 'error', code: 'badOutput', message: message.slice(0, 500) };
    }
  });
}

/** Values by the task's slots; those of the call are in the order of the bindings. */
function slotsOf({ bind }: CodeCall, { values }: InputRow): Readonly<Record<string, string>> {
  let at = 0;
  return Object.fromEntries(
    Object.entries(bind).map(([slot, binding]) => [slot, 'text' in binding ? binding.text : (values[at++] ?? '')]),
  );
}

/** As a model would have answered. */
function answerOf(rows: readonly CodeRow[], { outputs, cardinality }: CodeCall): CodeRow[string] {
  if (cardinality === 'many') return rows;
  const [row] = rows;
  const [only, ...more] = outputs;
  if (row === undefined) return null;
  return only !== undefined && more.length === 0 ? (row[only.from] ?? null) : row;
}
