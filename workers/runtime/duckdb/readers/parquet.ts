import { parquetScan } from '../parquet.js';
import type { Reader } from './reader.js';

export const parquetReader: Reader = {
  read: ({ path }) => Promise.resolve(`SELECT * FROM ${parquetScan(path)}`),
  explain: (_, message) =>
    Promise.resolve({
      problem: `is not a whole Parquet file: ${
        message
          .split('\n')[0]
          ?.replace(/^.*Error: /, '')
          .replace(/'[^']*'/, 'the file') ?? ''
      }`,
      hint: 'Copy or write the file again; it may have been cut short.',
    }),
};
