import { randomBytes } from 'node:crypto';

/**
 * A new run's id, which is also its workflow id: part of the request's hash, so that runs of one query stand together, and
 * a random tail, since asking twice means two runs.
 */
export function newRunId(request: string): string {
  return `q-${request.slice(0, 8)}-${randomBytes(5).toString('hex')}`;
}

/** Workflow id of a drafting. */
export function newDraftId(request: string): string {
  return `d-${request.slice(0, 8)}-${randomBytes(5).toString('hex')}`;
}

/** Workflow id of an estimate; none of its state outlives it. */
export function newEstimateId(request: string): string {
  return `e-${request.slice(0, 8)}-${randomBytes(5).toString('hex')}`;
}

const optimizationPrefix = 'o-';

/** A search's id; a query and a search are told apart by it. One within a query has the query's before its own. */
export function newOptimizationId(request: string): string {
  return `${optimizationPrefix}${request.slice(0, 8)}-${randomBytes(5).toString('hex')}`;
}

export function isOptimizationId(id: string): boolean {
  return id.startsWith(optimizationPrefix) || id.includes('/optimize/');
}
