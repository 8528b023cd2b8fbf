import type { TruthData, TruthTask, TruthTuple } from '../types.js';
import { agreement, type CsvRow, csv, text } from './data.js';

const yes = 'True';

const tasks: readonly TruthTask[] = [
  {
    key: 'cars.crash',
    collections: ['cars.complaints'],
    intent: [['crash', 'collision', 'accident']],
    truth: { rule: 'test', field: 'crash', in: [true] },
  },
  {
    key: 'cars.fire',
    collections: ['cars.complaints'],
    intent: [['fire', 'burn', 'flame', 'smoke']],
    truth: { rule: 'test', field: 'fire', in: [true] },
  },
  {
    key: 'cars.component',
    collections: ['cars.complaints'],
    intent: [['component', 'part', 'system', 'class', 'label', 'about', 'problem']],
    truth: { rule: 'field', field: 'component' },
    // 24 classes that overlap: the published systems reach macro F1 0.41 to 0.57
    harder: 0.15,
  },
  {
    key: 'cars.same-component',
    collections: ['cars.complaints'],
    intent: [['same'], ['component', 'part', 'system', 'problem']],
    truth: { rule: 'pair', left: 'component', right: 'component', relation: 'equal' },
  },
  {
    key: 'cars.injuries',
    collections: ['cars.complaints'],
    intent: [['injur', 'hurt']],
    truth: { rule: 'field', field: 'injuries' },
  },
];

/**
 * SemBench Cars, complaints: crash, fire and component as the owner declared them. Evidence: injuries speak for a crash,
 * and otherwise how usual the label is among complaints about the component; of the component itself nothing is known.
 */
export function carsTruth(folder: string): TruthData {
  return carsTruthOf(csv(folder, 'sembench-cars-text', 'complaints.csv'));
}

/** The same of rows like those of `complaints.csv`. */
export function carsTruthOf(rows: readonly CsvRow[]): TruthData {
  const component = (row: (typeof rows)[number]): string => text(row, 'component_class');
  const usualCrash = agreement(rows, (row) => text(row, 'crash'), component);
  const usualFire = agreement(rows, (row) => text(row, 'fire'), component);
  const tuples = rows.map((row): TruthTuple => {
    const injuries = Number(text(row, 'numberOfInjuries'));
    const crash = text(row, 'crash') === yes;
    return {
      id: text(row, 'complaint_id'),
      collection: 'cars.complaints',
      values: [text(row, 'summary')],
      fields: { crash, fire: text(row, 'fire') === yes, component: component(row), injuries },
      evidence: {
        crash: injuries > 0 ? (crash ? 1 : 0) : usualCrash(row),
        fire: usualFire(row),
      },
      about: component(row),
    };
  });
  return { tuples, tasks };
}
