/** Which strategies an operator has, and what each asks of a call. A new strategy is one entry here. */
import type { OperatorKind, SemanticCall } from '../operators/call.js';
import type { StrategyKind } from '../protocol/strategy.js';
import type { QueryPlan } from '../sql/plan.js';

interface Strategy {
  /** Why a call of this operator cannot be run so; undefined when it can. */
  readonly problem: (call: SemanticCall, query: Pick<QueryPlan, 'top'>) => string | undefined;
}

/** Any call. */
const direct: Strategy = { problem: () => undefined };

const cascade: Strategy = {
  problem: ({ output }) =>
    output.kind === 'boolean'
      ? undefined
      : 'a cascade decides true or false, and this call answers with an explanation',
};

const inOrder: Strategy = {
  problem(call, { top }) {
    if (call.guidance?.explain === true) return 'a top-k by comparisons explains no score';
    if (call.inputs.some(({ modality }) => modality !== 'text')) return 'a top-k by comparisons reads texts';
    return top?.call === call.id
      ? undefined
      : 'a top-k needs ORDER BY the score LIMIT k, over single rows, with the score used nowhere else';
  },
};

type Strategies = Readonly<Partial<Record<StrategyKind, Strategy>>>;

const onlyDirect: Strategies = { direct };
const byOperator: Readonly<Partial<Record<OperatorKind, Strategies>>> = {
  filter: { direct, cascade },
  aggregate: { direct, tree: direct, fold: direct },
  score: { direct, pairwise: inOrder, heap: inOrder, listwise: inOrder },
};

/** Names of the strategies of an operator. */
export function strategiesOf(operator: OperatorKind): readonly StrategyKind[] {
  return Object.keys(byOperator[operator] ?? onlyDirect) as StrategyKind[];
}

/** Why a call cannot be run by a strategy, for people; undefined when it can. */
export function strategyProblem(
  call: SemanticCall,
  kind: StrategyKind,
  query: Pick<QueryPlan, 'top'> = {},
): string | undefined {
  const { kind: operator } = call.parameters;
  const strategy = (byOperator[operator] ?? onlyDirect)[kind];
  return strategy === undefined
    ? `${operator} has no strategy ${kind}; it has: ${strategiesOf(operator).join(', ')}`
    : strategy.problem(call, query);
}
