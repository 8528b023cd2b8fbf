/** Plans and prices a query under every placement. */
import { explainPlacement } from '../../plans/explain/placement.js';
import type { Placed } from '../../plans/placement/strategies.js';
import type { ComparedPlacement, PlacementComparison } from '../../plans/protocol/comparison.js';
import { type Placement, placements } from '../../plans/protocol/placement.js';
import type { Estimate } from '../../plans/protocol/run.js';

/** What planning under one placement gives. */
export interface PricedPlacement {
  readonly estimate: Estimate;
  readonly joins: readonly Placed[];
}

/** @example await comparePlacements((placement) => planAndPrice(ports, { ...request, placement })) */
export async function comparePlacements(
  price: (placement: Placement) => Promise<PricedPlacement>,
): Promise<PlacementComparison> {
  const compared: ComparedPlacement[] = [];
  for (const placement of placements) {
    const { estimate, joins } = await price(placement);
    const { calls, usd } = estimate.total;
    const each = usd === undefined || calls.expected === 0 ? undefined : usd.expected / calls.expected;
    const explained = joins.map((placed) => ({
      ...explainPlacement(each === undefined ? placed : withPrice(placed, each)),
      strategy: placement,
    }));
    compared.push({ placement, total: estimate.total, joins: explained });
  }
  return { v: 1, placements: compared };
}

/** Every call at the mean price of the query's calls, in USD. */
function withPrice(placed: Placed, usd: number): Placed {
  const nodes = [...placed.price.nodes].map(([id, node]) => {
    const asks = node.asks.map((ask) => ({ ...ask, call: { ...ask.call, usd } }));
    return [id, { ...node, asks }] as const;
  });
  return { ...placed, price: { ...placed.price, nodes: new Map(nodes) } };
}
