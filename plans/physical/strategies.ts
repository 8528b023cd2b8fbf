/** Which strategies an operator has, and what each asks of a call. A new strategy is one entry here. */
import type { OperatorKind, SemanticCall } from '../operators/call.js';
import type { StrategyKind, StrategyRequest, TopK } from '../protocol/strategy.js';
import { checkBatchSize } from './batch/pack.js';
import { checkPartTokens } from './chunk/pieces.js';
import { checkConfidence, checkTarget, checkTargets } from './cascade/targets.js';

interface Strategy {
  /** Why a call of this operator cannot be run so; undefined when it can. */
  readonly problem: (call: SemanticCall, top: TopK | undefined) => string | undefined;
}

/** Any call. */
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

const noPair = 'its prompt does not read columns of exactly two relations of a join';

const classify: Strategy = {
  problem: ({ inputs, output, pair }) => {
    if (output.kind !== 'boolean') return 'a list of matches explains nothing';
    if (inputs.some(({ modality }) => modality !== 'text')) return 'a prompt for several pairs holds texts alone';
    return pair === undefined ? noPair : undefined;
  },
};

const prefilter: Strategy = {
  problem: ({ inputs, output, pair }) => {
    if (output.kind !== 'boolean') return 'a pair that is left out explains nothing';
    if (inputs.some(({ modality }) => modality !== 'text')) return 'values are compared as texts';
    return pair === undefined ? noPair : undefined;
  },
};

/** Keys are asked of texts alone, and a pair without them is left out, too. */
const map = prefilter;

const routed: Strategy = {
  problem: ({ inputs }) =>
    inputs.every(({ modality }) => modality === 'text') ? undefined : 'a plan routes texts alone',
};

const chunked: Strategy = {
  problem: ({ inputs }) =>
    inputs.every(({ modality }) => modality === 'text') ? undefined : 'only texts can be read in parts',
};

const inOrder: Strategy = {
  problem(call, top) {
    if (call.guidance?.explain === true) return 'a top-k by comparisons explains no score';
    if (call.inputs.some(({ modality }) => modality !== 'text')) return 'a top-k by comparisons reads texts';
    return top !== undefined
      ? undefined
      : 'a top-k needs ORDER BY the score LIMIT k, over single rows, with the score used nowhere else';
  },
};

type Strategies = Readonly<Partial<Record<StrategyKind, Strategy>>>;

const onlyDirect: Strategies = { direct };
const byOperator: Readonly<Partial<Record<OperatorKind, Strategies>>> = {
  filter: { direct, cascade, prefilter, map, batched, classify, routed },
  classify: { direct, batched, routed },
  extract: { direct, batched, chunked, routed },
  complete: { direct, batched, chunked, routed },
  score: { direct, batched, routed, pairwise: inOrder, heap: inOrder, listwise: inOrder },
  sentiment: { direct, batched, routed },
  summarize: { direct, chunked, routed },
  translate: { direct, batched, chunked, routed },
  dedup: { direct, batched },
  aggregate: { direct, tree: direct, fold: direct },
};

/** Names of the strategies of an operator. */
export function strategiesOf(operator: OperatorKind): readonly StrategyKind[] {
  return Object.keys(byOperator[operator] ?? onlyDirect) as StrategyKind[];
}

/** Why a call cannot be run by a strategy, for people; undefined when it can. `top`: what its query needs of a score. */
export function strategyProblem(call: SemanticCall, kind: StrategyKind, top?: TopK): string | undefined {
  const { kind: operator } = call.parameters;
  const strategy = (byOperator[operator] ?? onlyDirect)[kind];
  return strategy === undefined
    ? `${operator} has no strategy ${kind}; it has: ${strategiesOf(operator).join(', ')}`
    : strategy.problem(call, top);
}

/** Throws `BadArgument` for numbers of a strategy that make no sense. */
export function checkStrategy(request: StrategyRequest): void {
  if (request.kind === 'cascade') checkTargets(request.targets);
  if (request.kind === 'prefilter' || request.kind === 'map') {
    checkTarget('recall', request.recall);
    if (request.confidence !== undefined) checkConfidence(request.confidence);
  }
  if ((request.kind === 'batched' || request.kind === 'classify') && request.size !== undefined)
    checkBatchSize(request.size);
  if (request.kind === 'chunked' && request.tokens !== undefined) checkPartTokens(request.tokens);
}
