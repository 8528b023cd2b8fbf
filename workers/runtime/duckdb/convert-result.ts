import { quoteText } from '../../../plans/relation/names.js';
import { loadArrow } from './readers/arrow.js';
import { openDuckDb } from './session.js';

const outputOptions = {
  parquet: 'FORMAT parquet, COMPRESSION zstd',
  csv: 'FORMAT csv, HEADER true',
} as const;

/**
 * Writes an Arrow IPC stream file (a run's rows) as Parquet or CSV.
 *
 * @example await convertResult({ arrowPath, format: 'parquet', outPath: 'rows.parquet', tempDir: os.tmpdir() });
 */
export async function convertResult(options: {
  readonly arrowPath: string;
  readonly format: keyof typeof outputOptions;
  readonly outPath: string;
  readonly tempDir: string;
}): Promise<void> {
  const session = await openDuckDb({ tempDir: options.tempDir });
  try {
    await loadArrow(session, options.arrowPath, 'result');
    await session.run(`COPY result TO ${quoteText(options.outPath)} (${outputOptions[options.format]})`);
  } finally {
    await session.close();
  }
}
