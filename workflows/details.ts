import type { Controlled } from './controls.js';
import type { OptimizeState, QueryState } from './messages.js';

/** The run as Markdown, for Temporal's own UI. */
export function describeRun(state: QueryState): string {
  const lines = heading(state);
  if (state.plan !== undefined) {
    lines.push('', '| call | operator | model | partitions |', '| --- | --- | --- | --- |');
    for (const call of state.plan.calls) {
      const done = state.progress.find((entry) => entry.id === call.id);
      lines.push(
        `| ${call.id} | ${call.operator} | ${call.model} | ${done?.finished ?? 0} of ${done?.partitions ?? '?'} |`,
      );
    }
  }
  return [...lines, ...limitLines(state)].join('\n');
}

/** A search likewise. */
export function describeSearch(state: OptimizeState): string {
  const { direct, incumbent } = state;
  const lines = heading(state);
  if (state.plan !== undefined) {
    const asks = state.plan.asks.map(({ id, model }) => `| ${model} | ${state.asked.includes(id) ? 'yes' : 'no'} |`);
    lines.push('', '| asked about the sample | finished |', '| --- | --- |', ...asks);
  }
  if (direct !== undefined && incumbent !== undefined) {
    lines.push('', '| plan | utility | quality | seconds | USD |', '| --- | --- | --- | --- | --- |');
    for (const [name, { utility, quality, latencySeconds, costUsd }] of [
      ['default model', direct] as const,
      [`incumbent (trial ${incumbent.trial} of ${state.trials})`, incumbent] as const,
    ]) {
      const numbers = [utility, quality, latencySeconds].map((value) => value.toFixed(3));
      lines.push(`| ${[name, ...numbers, costUsd.toPrecision(3)].join(' | ')} |`);
    }
  }
  return [...lines, ...limitLines(state)].join('\n');
}

function heading({ phase, paused, pauseReason, stop }: Controlled & { readonly stop?: string }): string[] {
  const lines = [`**${phase}**${paused ? ` (paused${pauseReason ? `: ${pauseReason}` : ''})` : ''}`];
  return stop === undefined ? lines : [...lines, `stopping: ${stop}`];
}

function limitLines({ budget }: Controlled): readonly string[] {
  const limits = Object.entries(budget).map(([kind, value]) => `${kind} ${String(value)}`);
  return limits.length > 0 ? ['', `budget: ${limits.join(', ')}`] : [];
}
