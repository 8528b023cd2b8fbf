/** The report of one run as an HTML page: what came of it, what it cost, how it was planned, and what failed. */
import type { RowError, RunDescription } from '../../client/api.js';
import type { FermataError } from '../../plans/protocol/errors.js';
import type { OperatorProgress, RunProgress, RunResult, RunSummary } from '../../plans/protocol/run.js';
import { counted, duration } from '../render/numbers.js';
import { stopTexts, undecidedText } from '../render/report.js';
import { type Html, html } from './html.js';
import { page, type Section } from './page.js';
import { failedRows, type RowSample, sampledRows } from './rows.js';
import { operatorSections } from './operators.js';
import { planSections, querySections } from './plan.js';

/** How far a run has come. */
export type RunOutcome =
  | {
      readonly kind: 'ended';
      readonly result: RunResult;
      readonly errors: readonly RowError[];
      readonly rows: RowSample;
    }
  | { readonly kind: 'failed'; readonly error: FermataError; readonly progress?: RunProgress }
  | { readonly kind: 'going'; readonly progress?: RunProgress };

export interface ReportInput {
  readonly summary: RunSummary;
  readonly description?: RunDescription;
  readonly outcome: RunOutcome;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of Fermata. */
  readonly version: string;
}

export function runReport(input: ReportInput): string {
  const { summary, description, outcome } = input;
  const sections: readonly Section[] = [
    ...operatorSections(operatorsOf(outcome), outcome, description?.estimate),
    ...(outcome.kind === 'ended' ? [...failedRows(outcome.result, outcome.errors), ...sampledRows(outcome)] : []),
    ...querySections(summary, description),
    ...planSections(description, operatorsOf(outcome)),
  ];
  const written = new Date(input.now).toISOString().slice(0, 19);
  return page(
    `Run ${summary.runId}`,
    verdict(input),
    sections,
    `Fermata ${input.version}, written ${written}Z`,
    dataOf(input),
  );
}

function operatorsOf(outcome: RunOutcome): readonly OperatorProgress[] {
  return outcome.kind === 'ended' ? outcome.result.operators : (outcome.progress?.operators ?? []);
}

export function startedAt({ startedAt: at }: RunSummary): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

export function failedVerdict({ code, message, hint }: FermataError, began: string): Html {
  return html`<p class="failed">failed: ${code}: ${message}</p>
${hint === undefined ? [] : html`<p>${hint}</p>`}<p class="dim">started ${began}</p>`;
}

function verdict({ summary, outcome, now }: ReportInput): Html {
  const began = startedAt(summary);
  const took = (ms: number): string => duration(ms / 1000);
  if (outcome.kind === 'failed') return failedVerdict(outcome.error, began);
  if (outcome.kind === 'going') {
    return html`<p>${summary.state}: started ${began}, ${took(now - summary.startedAt)} ago; figures so far</p>`;
  }
  const { result } = outcome;
  const undecided = undecidedText(result);
  const state =
    result.stop === 'complete' ? html`${stopTexts.complete}` : html`<b class="warn">${stopTexts[result.stop]}</b>`;
  return html`<p><b>${counted(result.rows.count, 'row')}</b> · ${state} · started ${began}, took ${took(result.ms)}</p>
${undecided === undefined ? [] : html`<p class="${result.stop === 'complete' ? 'dim' : 'warn'}">${undecided}</p>`}
${(result.notes ?? []).map((note) => html`<p class="warn">note: ${note}</p>`)}`;
}

function dataOf({ summary, description, outcome }: ReportInput): object {
  const known = {
    ...{ schema: 'fermata/report/1', run: summary },
    ...(description === undefined ? {} : { joins: description.joins, estimate: description.estimate }),
  };
  if (outcome.kind === 'ended') return { ...known, result: outcome.result };
  if (outcome.kind === 'going') return { ...known, progress: outcome.progress };
  return { ...known, progress: outcome.progress, error: outcome.error.toJSON() };
}
