/** Which strategies an operator has, and what each asks of a call. A new strategy is one entry here. */
import type { OperatorKind, SemanticCall } from '../operators/call.js';
import type { StrategyKind, StrategyRequest } from '../protocol/strategy.js';
import { checkBatchSize } from './batch/pack.js';
import { checkPartTokens } from './chunk/pieces.js';
import { checkTargets } from './cascade/targets.js';

interface Strategy {
  /** Why a call of this operator cannot be run so; undefined when it can. */
  readonly problem: (call: SemanticCall) => string | undefined;
}

const direct: Strategy = { problem: () => undefined };

const cascade: Strategy = {
  problem: ({ output }) =>
    output.kind === 'boolean'
      ? undefined
      : 'a cascade decides true or false, and this call answers with an explanation',
};

const batched: Strategy = {
  problem: ({ inputs }) =>
    inputs.every(({ modality }) => modality === 'text') ? undefined : 'a prompt for several inputs holds texts alone',
};

const chunked: Strategy = {
  problem: ({ inputs }) =>
    inputs.every(({ modality }) => modality === 'text') ? undefined : 'only texts can be read in parts',
};

type Strategies = Readonly<Partial<Record<StrategyKind, Strategy>>>;

const onlyDirect: Strategies = { direct };
const byOperator: Readonly<Partial<Record<OperatorKind, Strategies>>> = {
  filter: { direct, cascade, batched },
  classify: { direct, batched },
  extract: { direct, batched, chunked },
  complete: { direct, batched, chunked },
  score: { direct, batched },
  sentiment: { direct, batched },
  summarize: { direct, chunked },
  translate: { direct, batched, chunked },
};

/** Names of the strategies of an operator. */
export function strategiesOf(operator: OperatorKind): readonly StrategyKind[] {
  return Object.keys(byOperator[operator] ?? onlyDirect) as StrategyKind[];
}

/** Why a call cannot be run by a strategy, for people; undefined when it can. */
export function strategyProblem(call: SemanticCall, kind: StrategyKind): string | undefined {
  const { kind: operator } = call.parameters;
  const strategy = (byOperator[operator] ?? onlyDirect)[kind];
  return strategy === undefined
    ? `${operator} has no strategy ${kind}; it has: ${strategiesOf(operator).join(', ')}`
    : strategy.problem(call);
}

/** Throws `BadArgument` for numbers of a strategy that make no sense. */
export function checkStrategy(request: StrategyRequest): void {
  if (request.kind === 'cascade') checkTargets(request.targets);
  if (request.kind === 'batched' && request.size !== undefined) checkBatchSize(request.size);
  if (request.kind === 'chunked' && request.tokens !== undefined) checkPartTokens(request.tokens);
}
