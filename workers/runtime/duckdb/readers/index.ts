import type { DataFormat } from '../../../../plans/protocol/run.js';
import { arrowReader } from './arrow.js';
import { csvReader, tsvReader } from './csv.js';
import { duckDbFileReader } from './duckdb-file.js';
import { folderReader } from './folder.js';
import { jsonReader } from './json.js';
import { parquetReader } from './parquet.js';
import type { Reader } from './reader.js';

/** How each format is read. */
export const readers: Readonly<Record<DataFormat, Reader>> = {
  csv: csvReader,
  tsv: tsvReader,
  json: jsonReader,
  parquet: parquetReader,
  arrow: arrowReader,
  duckdb: duckDbFileReader,
  folder: folderReader,
};
