/** A logical plan as the blocks of a run. */
import { encodePlan } from '../../../plans/algebra/json.js';
import type { Apply, Operator } from '../../../plans/algebra/operator.js';
import { pathColumn } from '../../../plans/algebra/sql.js';
import { issueText } from '../../../plans/algebra/verify/issue.js';
import { verifyPlan } from '../../../plans/algebra/verify/verify-plan.js';
import { operatorsOf, schemaOf } from '../../../plans/algebra/walk.js';
import { logicalBlocks } from '../../../plans/logical/execution/blocks.js';
import { withOwnColumns } from '../../../plans/logical/execution/own-columns.js';
import { shareEqual } from '../../../plans/logical/execution/share.js';
import { validateCall } from '../../../plans/operators/index.js';
import type { SemanticCall } from '../../../plans/operators/call.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import type { CodeCall, LogicalRun, RunningPlan } from '../../../plans/protocol/logical-run.js';
import type { PlannedCall } from '../../../plans/protocol/run-plan.js';
import type { RunRequest } from '../../../plans/protocol/run.js';
import { queues } from '../../../plans/protocol/queues.js';
import { clashes } from '../../../plans/relation/schema.js';
import { didYouMean } from '../../../plans/sql/nearest.js';
import type { QueryPlan } from '../../../plans/sql/plan.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import type { CodeTasks } from '../../../plans/tasks/code/code-task.js';
import { generalCall } from '../../../plans/tasks/general.js';
import type { RelationStore, TableSnapshot } from '../../relation-port.js';
import { chooseModel, type ModelChoice } from '../choose-model.js';
import { routedRows } from '../enter-block.js';
import { scheduleCall } from '../schedule.js';

export interface LogicalPorts extends ModelChoice {
  readonly relations: RelationStore;
  /** Tasks that code does. */
  readonly codeTasks: CodeTasks;
  queueOf(model: string): string;
}

/** What a run of a logical plan is made of. */
export interface PlannedLogical {
  readonly query: QueryPlan;
  readonly tables: readonly TableSnapshot[];
  readonly calls: readonly PlannedCall[];
  readonly logical: RunningPlan;
}

/** Partitions of code in flight. */
const codeWindow = 4;

/**
 * Reads the tables, checks the plan, and fixes who does each task: code where it serves, else a model. Throws before anything is
 * asked: `BadPlan` for a plan that the verifier refuses or a task that nobody can do, `UnknownColumn`, and what `chooseModel` throws.
 */
export async function planLogical(
  ports: LogicalPorts,
  request: RunRequest,
  logical: LogicalRun,
): Promise<PlannedLogical> {
  const tables: TableSnapshot[] = [];
  for (const table of request.tables) tables.push(await ports.relations.snapshotTable(table));
  const plan = shareEqual(withOwnColumns(verified(logical), logical.renamed ?? {}));
  for (const operator of operatorsOf(plan)) checkColumns(operator, tables);
  const { query, tasks, tables: stored } = logicalBlocks(plan, callOf);
  const calls: PlannedCall[] = [];
  for (const [id, apply] of tasks) calls.push(await plannedTask(ports, callOf(apply, id), apply, request.model));
  return { query, tables, calls, logical: { plan: encodePlan(plan), tables: stored } };
}

function verified({ plan, inputs }: LogicalRun): Operator {
  const relations = Object.fromEntries(inputs.map(({ name, schema, key }) => [name, { schema, key }]));
  const verdict = verifyPlan(plan, { relations, catalog: defaultCatalog });
  if (verdict.ok) return verdict.plan;
  const [first, ...more] = verdict.issues;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new FermataError(
    'BadPlan',
    `the logical plan cannot run: ${first === undefined ? '' : issueText(first)}${rest}`,
  );
}

/** Tables may have changed since the plan was made, and one name is ours. */
function checkColumns(operator: Operator, tables: readonly TableSnapshot[]): void {
  const made = schemaOf(operator);
  if (clashes(made, pathColumn))
    throw new FermataError('BadData', `The column name "${pathColumn}" is kept for Fermata itself.`, {
      hint: 'Rename the column.',
    });
  if (operator.kind !== 'scan') return;
  const { relation } = operator;
  const table = tables.find(({ name }) => name === relation);
  if (table === undefined) throw new FermataError('UnknownTable', `The plan reads ${relation}, which was not given.`);
  const names = table.columns.map(({ name }) => name);
  for (const { name } of made) {
    if (names.includes(name)) continue;
    throw new FermataError('UnknownColumn', `${relation} has no column "${name}".`, {
      where: { table: relation, column: name },
      hint: `${didYouMean(name, names)} Make the plan anew: it has ${names.join(', ')}.`.trim(),
    });
  }
}

const callOf: Parameters<typeof logicalBlocks>[1] = (apply, id) => {
  const task = defaultCatalog.get(apply.task);
  const call = task === undefined ? undefined : generalCall(id, task, apply, schemaOf(apply.input));
  if (call !== undefined) return call;
  throw new FermataError('BadPlan', `no model and no code does ${apply.task}`, {
    where: { operator: apply.task },
    hint: 'take another candidate',
  });
};

async function plannedTask(
  ports: LogicalPorts,
  call: SemanticCall,
  apply: Apply,
  model: string | undefined,
): Promise<PlannedCall> {
  validateCall(call);
  const { task, bind, params, outputs, cardinality } = apply;
  if (ports.codeTasks[task]?.serves(params) === true) {
    const code: CodeCall = { task, bind, params, outputs, cardinality };
    const { id, role } = call;
    const sizes = { partitionRows: routedRows, window: codeWindow };
    return {
      call,
      schedule: { id, role, operator: task, model: 'code', queue: queues.cpu, ...sizes, program: true },
      code,
    };
  }
  const chosen = await chooseModel(ports, call, model);
  const schedule = scheduleCall(call, chosen, ports.queueOf(chosen.name), 0, undefined);
  return { call, schedule: { ...schedule, operator: task } };
}
