/** SemBench Cars, the queries about complaints, worded as in CADENZA, Appendix J.4: pictures and recordings are not part of the data. */
import { carsTruthOf } from '../pool/truth/sets/cars.js';
import { type CsvRow, csv, text } from '../pool/truth/sets/data.js';
import type { PeerOperator, Scenario, SemQuery, SkippedQuery } from './scenario.js';
import { atMost } from './scenario.js';

const folder = 'sembench-cars-text';
/** The year that ages are counted to, as in SemBench. */
const now = 2026;

const noMedia = (id: string, question: string): SkippedQuery => ({
  ...{ id, question },
  why: 'its pictures or recordings are not part of the data',
});

const asked = { table: 'complaints', column: 'summary' } as const;
const crash = 'complaint entails the car was in a crash/accident/collision';
const engine = 'complaint: car has engine problem';

export const cars: Scenario = {
  name: 'cars',
  folder,
  files: ['complaints.csv', 'cars.csv'],
  rows: 1899,
  load(data, rows) {
    const complaints = atMost(rows, csv(data, folder, 'complaints.csv'));
    const all = csv(data, folder, 'cars.csv');
    return {
      tables: {
        complaints: { columns: ['complaint_id', 'car_id', 'summary'], rows: complaints },
        cars: { columns: Object.keys(all[0] ?? {}), rows: all },
      },
      truth: carsTruthOf(complaints),
      queries: queriesOf(complaints, all),
      skipped: [
        noMedia('Q2', 'Cars whose audio recording shows a dead battery.'),
        noMedia('Q3', 'Ten cars with Manual transmission whose image shows the car is not damaged.'),
        noMedia('Q5', 'Cars damaged based on both audio and image evidence.'),
        noMedia('Q6', 'Cars with damage evidence in at least two modalities (image, audio, text).'),
        noMedia('Q7', 'Cars that are dented (image), have worn brakes (audio), and report electrical issues (text).'),
        noMedia('Q8', 'First 100 cars whose image shows both punctures and paint scratches.'),
        noMedia('Q9', 'Cars whose image shows tearing and whose audio shows bad ignition.'),
      ],
    };
  },
};

function queriesOf(complaints: readonly CsvRow[], all: readonly CsvRow[]): readonly SemQuery[] {
  const labels = [...new Set(complaints.map((row) => text(row, 'component_class')))].sort();
  const years = new Map(all.map((row) => [text(row, 'car_id'), Number(text(row, 'year'))]));
  const ageOf = (row: CsvRow): number => now - (years.get(text(row, 'car_id')) ?? Number.NaN);
  const ofEngine = complaints.filter((row) => text(row, 'component_class') === 'ENGINE');
  const crashed = complaints.filter((row) => text(row, 'crash') === 'True');
  const list = labels.map((label) => `'${label}'`).join(', ');
  return [
    {
      id: 'Q1',
      question: 'Cars whose textual complaint entails a crash/accident/collision.',
      sql: `SELECT car_id FROM complaints WHERE AI_FILTER('${crash}: {summary}')`,
      gold: { metric: 'f1', bothEmpty: 1, items: crashed.map((row) => [text(row, 'car_id')]) },
      operator: {
        ...{ ...asked, op: 'filter', condition: crash },
        finish: (found, rows) => found.map(([row]) => ({ car_id: rows[row]?.['car_id'] })),
      },
    },
    {
      id: 'Q4',
      question: 'Average age of cars whose complaint mentions engine problems.',
      sql: `SELECT avg(${now} - c.year) AS age FROM cars c JOIN complaints t ON t.car_id = c.car_id WHERE AI_FILTER('${engine}: {t.summary}')`,
      searched: `SELECT complaint_id FROM complaints WHERE AI_FILTER('${engine}: {summary}')`,
      gold: { metric: 'relative error', value: mean(ofEngine.map(ageOf)) },
      operator: {
        ...{ ...asked, op: 'filter', condition: engine },
        finish: (found) => [{ age: mean(found.flatMap(([row]) => complaints.slice(row, row + 1).map(ageOf))) }],
      },
    },
    {
      id: 'Q10',
      question: 'Classify each complaint into a problem category.',
      sql: `SELECT complaint_id, AI_CLASSIFY(summary, [${list}], {task_description: 'problem category'}) AS category FROM complaints`,
      gold: {
        metric: 'macro f1',
        labels: new Map(complaints.map((row) => [text(row, 'complaint_id'), text(row, 'component_class')])),
      },
      operator: {
        ...{ ...asked, op: 'label', name: 'problem_category', labels },
        question: `problem category, one of ${labels.join(', ')}`,
        finish: byComplaint,
      },
    },
  ];
}

const byComplaint: PeerOperator['finish'] = (found, rows) =>
  found.map(([row, value]) => ({ complaint_id: rows[row]?.['complaint_id'], category: value }));

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
