import { type GridColumn, grid } from '../render/grid.js';
import { percent } from '../render/numbers.js';
import type { Retrieval } from '../../plans/evaluation/retrieval.js';
import { type Reported, componentAccuracy, crashScore, keywordRule } from './score.js';
import type { Complaint } from './truth.js';

interface Line extends Retrieval {
  readonly name: string;
}

const columns: readonly GridColumn<Line>[] = [
  { title: 'crash reported?', text: (line) => line.name },
  { title: 'precision', align: 'right', text: (line) => line.precision.toFixed(2) },
  { title: 'recall', align: 'right', text: (line) => line.recall.toFixed(2) },
  { title: 'F1', align: 'right', text: (line) => line.f1.toFixed(2) },
];

/** The demo's own quality beside answers that cost nothing, as lines for people. */
export function demoReport(reported: readonly Reported[], complaints: readonly Complaint[]): readonly string[] {
  const crashes = complaints.filter((complaint) => complaint.crash).length;
  const { rows, correct, majority } = componentAccuracy(reported, complaints);
  const lines: readonly Line[] = [
    { name: 'this run', ...crashScore(new Set(reported.map((row) => row.id)), complaints) },
    { name: 'keyword rule', ...crashScore(keywordRule(complaints), complaints) },
    { name: 'always no', ...crashScore(new Set(), complaints) },
  ];
  return [
    `How right is it? ${complaints.length} complaints, ${crashes} whose owner ticked "crash".`,
    ...grid(lines, columns, undefined),
    rows === 0
      ? 'component: no row to compare'
      : `component: ${correct} of ${rows} as filed (${percent(correct / rows)}); the most frequent one throughout: ${majority} (${percent(majority / rows)})`,
    "The labels are the owners' own tick marks and the class under which the complaint was filed, hence noisy: some",
    'texts that tell of a crash are not ticked, and many complaints name several components.',
  ];
}
