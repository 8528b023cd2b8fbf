/** What a query with joins would cost under each placement, side by side. Stored as an object: trees may be large. */
import type { ExplainedPlan } from '../explain/placement.js';
import type { Placement } from './placement.js';
import type { Estimate } from './run.js';

export interface PlacementComparison {
  readonly v: 1;
  readonly placements: readonly ComparedPlacement[];
}

export interface ComparedPlacement {
  readonly placement: Placement;
  /** As for the run itself: distinct prompts counted, filters taken to pass one in five. */
  readonly total: Estimate['total'];
  /** Each join of the query with the semantic operators over it; none for a query without. */
  readonly joins: readonly ExplainedPlan[];
}
