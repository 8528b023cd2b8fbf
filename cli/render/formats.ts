import { FermataError } from '../../plans/protocol/errors.js';
import type { RowSource } from './source.js';

/** Where a format writes. */
export interface Sink {
  write(chunk: string | Uint8Array): Promise<void>;
  /** Width of the terminal; undefined when the output is not one. */
  readonly columns: number | undefined;
  /** A remark for the person, kept off the output. */
  note(text: string): Promise<void>;
}

interface Format {
  /** Bytes that a terminal must not be sent. */
  readonly binary: boolean;
  /** File name endings that choose this format for `--out`. */
  readonly endings: readonly string[];
  /** Loaded when rows are there: reading them takes Arrow, which is long to load. */
  readonly load: () => Promise<(source: RowSource, sink: Sink) => Promise<void>>;
}

/** Output formats of `-o/--output`. A new one is one row. */
export const formats = {
  table: { binary: false, endings: ['.txt'], load: async () => (await import('./table.js')).writeTable },
  json: { binary: false, endings: ['.json'], load: async () => (await import('./json.js')).writeJson },
  jsonl: {
    binary: false,
    endings: ['.jsonl', '.ndjson'],
    load: async () => (await import('./json.js')).writeJsonLines,
  },
  csv: { binary: false, endings: ['.csv'], load: async () => (await import('./csv.js')).writeCsv },
  parquet: { binary: true, endings: ['.parquet'], load: async () => (await import('./parquet.js')).writeParquet },
  arrow: {
    binary: true,
    endings: ['.arrow', '.arrows', '.ipc'],
    load: async () => (await import('./arrow.js')).writeArrow,
  },
  markdown: {
    binary: false,
    endings: ['.md', '.markdown'],
    load: async () => (await import('./markdown.js')).writeMarkdown,
  },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

export const formatNames = Object.keys(formats) as FormatName[];

/** The format that a file's name asks for. */
export function formatOfFile(path: string): FormatName | undefined {
  const lower = path.toLowerCase();
  return formatNames.find((name) => formats[name].endings.some((ending) => lower.endsWith(ending)));
}

/** The format to use: the flag, else the file's ending, else a table. Throws `Usage` for a file of no known ending. */
export function chooseFormat(flag: FormatName | undefined, out: string | undefined): FormatName {
  if (flag) return flag;
  if (out === undefined) return 'table';
  const found = formatOfFile(out);
  if (found) return found;
  throw new FermataError('Usage', `the name ${out} does not say in which format to write it`, {
    hint: `add -o with one of ${formatNames.join(', ')}`,
  });
}
