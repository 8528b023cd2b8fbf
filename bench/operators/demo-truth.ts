/** The demo's complaints for the pool: what owners ticked and the agency filed, and details that are only as long as real ones. */
import { readTruth } from '../../cli/demo/truth.js';
import type { TruthData } from '../pool/truth/types.js';

export async function demoTruth(): Promise<TruthData> {
  const complaints = await readTruth();
  return {
    tuples: complaints.map(({ id, summary, crash, component }) => ({
      id,
      collection: 'complaints',
      values: [summary],
      fields: { crash, component, event: summary.split(/\s+/).slice(0, 8).join(' '), injured: crash },
    })),
    tasks: [
      {
        key: 'crash',
        collections: ['complaints'],
        intent: [['crash']],
        truth: { rule: 'test', field: 'crash', in: [true] },
      },
      {
        key: 'component',
        collections: ['complaints'],
        intent: [['component']],
        truth: { rule: 'field', field: 'component' },
      },
    ],
  };
}
