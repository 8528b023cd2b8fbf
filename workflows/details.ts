import type { QueryState } from './messages.js';

/** The run as Markdown, for Temporal's own UI. */
export function describeRun(state: QueryState): string {
  const lines = [
    `**${state.phase}**${state.paused ? ` (paused${state.pauseReason ? `: ${state.pauseReason}` : ''})` : ''}`,
  ];
  if (state.stop !== undefined) lines.push(`stopping: ${state.stop}`);
  if (state.plan !== undefined) {
    lines.push('', '| call | operator | model | partitions |', '| --- | --- | --- | --- |');
    for (const call of state.plan.calls) {
      const done = state.progress.find((entry) => entry.id === call.id);
      lines.push(
        `| ${call.id} | ${call.operator} | ${call.model} | ${done?.finished ?? 0} of ${done?.partitions ?? '?'} |`,
      );
    }
  }
  const limits = Object.entries(state.budget).map(([kind, value]) => `${kind} ${String(value)}`);
  if (limits.length > 0) lines.push('', `budget: ${limits.join(', ')}`);
  return lines.join('\n');
}
