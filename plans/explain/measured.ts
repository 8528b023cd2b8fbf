/** What a run counted, put on the tree that it was planned as. */
import type { OperatorProgress } from '../protocol/run.js';
import type { ExplainedNode, ExplainedPlan, Measured } from './placement.js';

/** A node has the figures of the calls that stand where its own do in the query; one that was never asked has none. */
export function withMeasured(plan: ExplainedPlan, operators: readonly OperatorProgress[]): ExplainedPlan {
  return { ...plan, root: measuredNode(plan.root, operators) };
}

function measuredNode(node: ExplainedNode, operators: readonly OperatorProgress[]): ExplainedNode {
  const positions = new Set(node.asks?.positions);
  const asked = operators.filter(({ position }) => position !== undefined && positions.has(position));
  const inputs = node.inputs.map((input) => measuredNode(input, operators));
  return { ...node, ...(asked.length === 0 ? {} : { measured: together(asked) }), inputs };
}

function together(operators: readonly OperatorProgress[]): Measured {
  const sum = (part: (operator: OperatorProgress) => number): number =>
    operators.reduce((total, operator) => total + part(operator), 0);
  return {
    // steps of one call decide about the same inputs
    distinct: Math.max(...operators.map(({ inputs }) => inputs)),
    calls: sum(({ calls }) => calls),
    cached: sum(({ cached }) => cached),
    usd: sum(({ usd }) => usd),
    unpriced: sum(({ unpriced }) => unpriced),
  };
}
