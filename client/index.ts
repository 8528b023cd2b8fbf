export type {
  ConnectOptions,
  DraftOptions,
  Fermata,
  Optimization,
  OptimizeOptions,
  OptimizeWithin,
  RowError,
  Run,
  RunDescription,
  RunOptions,
  TableOptions,
  TableSource,
} from './api.js';
export { connect } from './connect.js';
export { FermataError } from '../plans/protocol/errors.js';
export type { ErrorCode } from '../plans/protocol/errors.js';
export type { ComparedPlacement, PlacementComparison } from '../plans/protocol/comparison.js';
export type { Placement } from '../plans/protocol/placement.js';
export type { RoutedPlan } from '../plans/physical/routed/plan.js';
export type { StrategyRequest } from '../plans/protocol/strategy.js';
export type { Estimate, RunBudget, RunProgress, RunResult, RunStatus, RunSummary } from '../plans/protocol/run.js';
export type { SearchResult, SearchStatus } from '../plans/protocol/search.js';
export type { QueryParameters } from './parameters.js';
export type { Answer, AnswerType } from './relation/answer-types.js';
export type { Relation } from './relation/relation.js';
export { column, prompt, sql } from './relation/sql-text.js';
export type { SqlLiteral } from './relation/sql-text.js';
