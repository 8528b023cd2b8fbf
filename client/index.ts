export type { ConnectOptions, Fermata, RowError, Run, RunOptions, TableOptions } from './api.js';
export { connect } from './connect.js';
export { FermataError } from '../plans/protocol/errors.js';
export type { ErrorCode } from '../plans/protocol/errors.js';
export type { Placement } from '../plans/protocol/placement.js';
export type { StrategyRequest } from '../plans/protocol/strategy.js';
export type { Estimate, RunBudget, RunProgress, RunResult, RunStatus, RunSummary } from '../plans/protocol/run.js';
