import type { JsonValue } from '../protocol/json.js';
import type { Operator } from './operator.js';
import { rowOf } from './operators.js';
import { inputsOf, operatorsOf } from './walk.js';

/** Version of the JSON form. */
export const planVersion = 1;

/** The JSON form of a plan: a list of operators that name their inputs. {@link verifyPlan} reads it. */
export interface PlanJson {
  readonly v: typeof planVersion;
  readonly nodes: readonly NodeJson[];
  /** Id of the root. */
  readonly output: string;
}

export interface NodeJson {
  readonly id: string;
  readonly op: string;
  readonly [field: string]: JsonValue;
}

/** Ids are `n1`, `n2` …, each operator after its inputs. */
export function encodePlan(root: Operator): PlanJson {
  const all = operatorsOf(root);
  const ids = new Map(all.map((operator, index) => [operator, `n${index + 1}`]));
  const id = (operator: Operator): string => ids.get(operator) ?? '';
  return {
    v: planVersion,
    nodes: all.map((operator) => ({
      id: id(operator),
      op: operator.kind,
      ...inputFields(operator, id),
      ...rowOf(operator).fields(operator),
    })),
    output: id(root),
  };
}

function inputFields(operator: Operator, id: (operator: Operator) => string): Readonly<Record<string, JsonValue>> {
  if (operator.kind === 'union') return { inputs: operator.inputs.map(id) };
  const inputs = inputsOf(operator).map(id);
  return Object.fromEntries(rowOf(operator).children.map((child, index) => [child, inputs[index] ?? '']));
}
