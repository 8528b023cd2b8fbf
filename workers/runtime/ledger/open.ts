import type { Ledger } from '../../../activities/ports.js';
import type { Settings } from '../../config/settings.js';
import { openLmdbLedger } from './lmdb.js';

type LedgerSettings = Settings['ledger'];

/** One row a kind of ledger. */
const openers = {
  lmdb: (settings) => openLmdbLedger(settings),
} as const satisfies { [K in LedgerSettings['kind']]: (settings: Extract<LedgerSettings, { kind: K }>) => Ledger };

/** Opens the ledger that the settings name. @throws FermataError `StoreUnreachable` */
export function openLedger(settings: LedgerSettings): Ledger {
  return openers[settings.kind](settings);
}
