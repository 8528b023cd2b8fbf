/** A pool over the first tickets in a process of its own: `pool-main.js COUNT`; tells its URL to the parent. */
import { defaultProfiles } from '../pool/profile.schema.js';
import { startPool } from '../pool/start.js';
import { unlimited } from './pool-project.js';
import { ticketTruth } from './tickets.js';

const truth = [ticketTruth(Number(process.argv[2]))];
const pool = await startPool({ profiles: unlimited(defaultProfiles()), truth, latencyScale: 0 });
process.send?.(pool.url);
process.once('disconnect', () => void pool.close());
