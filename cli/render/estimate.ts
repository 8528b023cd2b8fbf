import type { CallEstimate, Estimate } from '../../plans/protocol/run.js';
import { type GridColumn, grid } from './grid.js';
import { count, range, usd } from './numbers.js';
import { fit } from './width.js';

const columns: readonly GridColumn<CallEstimate>[] = [
  { title: 'operator', text: (call) => call.operator },
  { title: 'model', text: (call) => call.model },
  { title: 'rows', align: 'right', text: (call) => count(call.rows) },
  { title: 'distinct', align: 'right', text: (call) => count(call.distinct) },
  { title: 'cached', align: 'right', text: (call) => count(call.cached) },
  { title: 'calls', align: 'right', text: (call) => range(call.calls) },
  { title: 'tokens', align: 'right', text: (call) => range(call.tokens) },
  { title: 'USD', align: 'right', text: (call) => price(call.usd) },
  { title: 'intent', text: (call) => fit(call.intent, 40) },
];

function price(value: Estimate['total']['usd']): string {
  return value === undefined ? 'price unknown' : range(value, usd);
}

/** The estimate as lines: one a call, then the total as `expected [low–high]`. */
export function estimateLines(estimate: Estimate, width: number | undefined): readonly string[] {
  const { calls, tokens } = estimate.total;
  const total = `total: ${range(calls)} calls · ${range(tokens)} tokens · ${price(estimate.total.usd)}`;
  if (estimate.calls.length === 0) return ['no semantic operators: no model call, nothing to pay'];
  return [...grid(estimate.calls, columns, width), total];
}
