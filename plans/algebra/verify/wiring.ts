import { didYouMean } from '../../sql/nearest.js';
import type { Draft, DraftOperator } from './draft.js';
import type { PlanIssue } from './issue.js';

export interface Wiring {
  /** Operators that can be read, each after its inputs; those on a cycle, and those above one, are left out. */
  readonly order: readonly DraftOperator[];
  readonly issues: readonly PlanIssue[];
}

/** Checks how the operators of a draft are connected: dangling inputs, cycles, operators that nothing reads. */
export function checkWiring({ operators, unread, output }: Draft): Wiring {
  const issues: PlanIssue[] = [];
  const byId = new Map(operators.map((operator) => [operator.id, operator]));
  const known = (id: string): boolean => byId.has(id) || unread.includes(id);
  for (const { id, inputs } of operators) {
    for (const input of inputs) if (input !== '' && !known(input)) issues.push(dangling(id, input, [...byId.keys()]));
  }
  if (output !== undefined && operators.length > 0 && !known(output)) {
    issues.push({
      ...dangling('', output, [...byId.keys()]),
      message: `'output' names '${output.slice(0, 80)}', which is not there`,
    });
  }
  const { order, cyclic } = sortByInputs(operators, byId);
  if (cyclic.length > 0) {
    issues.push({
      fault: 'cycle',
      at: cyclic[0] ?? '',
      message: `these operators read one another in a circle: ${cyclic.join(', ')}`,
      hint: 'Let data flow in one direction, from scans to the output.',
    });
  }
  // what an unreadable operator would have read cannot be told
  const used = unread.length > 0 ? undefined : reachable(output, byId);
  for (const { id } of operators) {
    if (used === undefined || used.has(id) || cyclic.includes(id)) continue;
    issues.push({
      fault: 'unused-operator',
      at: id,
      message: 'nothing reads this operator',
      hint: 'Connect it to the output, or leave it out.',
    });
  }
  return { order, issues };
}

function dangling(at: string, input: string, ids: readonly string[]): PlanIssue {
  const name = input.slice(0, 80);
  return {
    fault: 'dangling-input',
    at,
    message: `there is no operator '${name}'`,
    hint: `${didYouMean(name, ids)} The ids are: ${ids.join(', ')}.`.trim(),
  };
}

/** Kahn's algorithm; what is left over is on a cycle or above one. */
function sortByInputs(
  operators: readonly DraftOperator[],
  byId: ReadonlyMap<string, DraftOperator>,
): { readonly order: readonly DraftOperator[]; readonly cyclic: readonly string[] } {
  const order: DraftOperator[] = [];
  const done = new Set<string>();
  let left = operators;
  for (;;) {
    const ready = left.filter(({ inputs }) => inputs.every((input) => done.has(input) || !byId.has(input)));
    if (ready.length === 0) break;
    for (const operator of ready) {
      order.push(operator);
      done.add(operator.id);
    }
    left = left.filter((operator) => !done.has(operator.id));
  }
  return { order, cyclic: onCycle(left, byId) };
}

/** Of operators left over, those from which a walk along inputs comes back. */
function onCycle(left: readonly DraftOperator[], byId: ReadonlyMap<string, DraftOperator>): readonly string[] {
  return left
    .filter(({ id, inputs }) => inputs.some((input) => reachable(input, byId)?.has(id) === true))
    .map(({ id }) => id);
}

function reachable(
  root: string | undefined,
  byId: ReadonlyMap<string, DraftOperator>,
): ReadonlySet<string> | undefined {
  if (root === undefined || !byId.has(root)) return undefined;
  const seen = new Set<string>();
  const todo = [root];
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    todo.push(...(byId.get(id)?.inputs ?? []));
  }
  return seen;
}
