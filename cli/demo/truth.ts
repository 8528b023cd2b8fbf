/** The labels of the demo's records. The query never sees them; they are read once the run has ended. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../version.js';
import { readCsv } from './csv-reader.js';

export interface Complaint {
  readonly id: string;
  readonly summary: string;
  /** The owner's own tick mark. */
  readonly crash: boolean;
  /** The agency's component class, as the demo's query names it. */
  readonly component: string;
}

/** Component classes of NHTSA → labels of the query. Three pairs of classes overlap by name and count as one. */
const labels: Readonly<Record<string, string>> = {
  'AIR BAGS': 'air bags',
  'BACK OVER PREVENTION': 'back over prevention',
  'ELECTRICAL SYSTEM': 'electrical system',
  ENGINE: 'engine',
  'ENGINE AND ENGINE COOLING': 'engine',
  EQUIPMENT: 'equipment',
  'EXTERIOR LIGHTING': 'exterior lighting',
  'FORWARD COLLISION AVOIDANCE': 'forward collision avoidance',
  'FUEL SYSTEM': 'fuel system',
  'FUEL/PROPULSION SYSTEM': 'fuel system',
  'LANE DEPARTURE': 'lane departure',
  'LATCHES/LOCKS/LINKAGES': 'latches and locks',
  'POWER TRAIN': 'power train',
  'SEAT BELTS': 'seat belts',
  SEATS: 'seats',
  'SERVICE BRAKES': 'service brakes',
  STEERING: 'steering',
  STRUCTURE: 'structure',
  SUSPENSION: 'suspension',
  TIRES: 'tires',
  'VEHICLE SPEED CONTROL': 'speed control',
  VISIBILITY: 'visibility',
  'VISIBILITY/WIPER': 'visibility',
  WHEELS: 'wheels',
};

/** Paths of the demo's files in this package. */
export function demoFile(name: 'complaints.csv' | 'complaints.sql' | 'truth.csv'): string {
  return join(packageFolder(), 'demo', name);
}

/** Records with their labels. */
export async function readTruth(): Promise<readonly Complaint[]> {
  const [complaints, truth] = await Promise.all(
    (['complaints.csv', 'truth.csv'] as const).map(async (name) => readCsv(await readFile(demoFile(name), 'utf8'))),
  );
  const byId = new Map((truth ?? []).map((row) => [row['id'], row]));
  return (complaints ?? []).map((row) => {
    const marks = byId.get(row['id']);
    const component = labels[marks?.['component_class'] ?? ''];
    if (marks === undefined || component === undefined)
      throw new Error(`demo/truth.csv lacks complaint ${row['id'] ?? ''}`);
    return { id: row['id'] ?? '', summary: row['summary'] ?? '', crash: marks['crash'] === 'true', component };
  });
}
