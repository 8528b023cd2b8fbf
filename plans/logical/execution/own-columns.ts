import { project, scan } from '../../algebra/build.js';
import { column } from '../../algebra/expression.js';
import type { Operator } from '../../algebra/operator.js';
import { mapPlan } from '../../algebra/walk.js';
import type { LogicalRun } from '../../protocol/logical-run.js';

/** The plan over relations whose columns have their own names again: a π below gives them those of the plan. */
export function withOwnColumns(plan: Operator, renamed: NonNullable<LogicalRun['renamed']>): Operator {
  return mapPlan(plan, (operator) => {
    const names = operator.kind === 'scan' ? renamed[operator.relation] : undefined;
    if (operator.kind !== 'scan' || names === undefined) return operator;
    const own = (name: string): string => names[name] ?? name;
    const schema = operator.schema.map(({ name, type }) => ({ name: own(name), type }));
    return project(
      scan(operator.relation, { schema, key: operator.key.map(own) }),
      operator.schema.map(({ name }) => ({ name, expression: column(own(name)) })),
    );
  });
}
