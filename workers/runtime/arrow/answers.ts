import { Float64, Int32, Uint8, Utf8 } from 'apache-arrow';
import { float64Data, int32Data, recordBatch, schemaOf, uint8Data, utf8Data } from './columns.js';
import { column, readBatches } from './read-batches.js';
import { arrowBytes } from './stream-writer.js';
import { texts } from './texts.js';

/** The position is the code in the file: append only. */
export const answerStates = ['ok', 'null', 'error', 'undecided'] as const;
export type AnswerState = (typeof answerStates)[number];

/** What became of one distinct input. */
export interface AnswerRow {
  /** Number of the input within its wave, as in `InputRow`. */
  readonly in: number;
  /** `null`: the model said that there is no answer. `undecided`: a budget or a stop came first. */
  readonly state: AnswerState;
  /** JSON text of a valid answer; there when the state is `ok`. */
  readonly value?: string;
  /** In [0, 1]. */
  readonly confidence?: number;
  /** For an error: a code of `callErrorTable`, and what happened in words. */
  readonly code?: string;
  readonly message?: string;
}

const schema = schemaOf(
  {
    __in: new Int32(),
    state: new Uint8(),
    value: new Utf8(),
    confidence: new Float64(),
    code: new Utf8(),
    message: new Utf8(),
  },
  new Set(['value', 'confidence', 'code', 'message']),
);

/** A partition of answers as an Arrow IPC stream: `__in`, `state`, `value`, `confidence`, `code`, `message`. */
export function encodeAnswers(rows: readonly AnswerRow[]): Uint8Array {
  const columns = [
    int32Data(rows.map((row) => row.in)),
    uint8Data(rows.map((row) => answerStates.indexOf(row.state))),
    utf8Data(rows.map((row) => row.value)),
    float64Data(rows.map((row) => row.confidence)),
    utf8Data(rows.map((row) => row.code)),
    utf8Data(rows.map((row) => row.message)),
  ];
  return arrowBytes(schema, [recordBatch(schema, columns, rows.length)]);
}

export function decodeAnswers(bytes: Uint8Array): readonly AnswerRow[] {
  return readBatches(bytes, 'answers').flatMap((batch) => {
    const ins = column<Int32>(batch, '__in').values;
    const states = column<Uint8>(batch, 'state').values;
    const confidences = column<Float64>(batch, 'confidence');
    const [values = [], codes = [], messages = []] = ['value', 'code', 'message'].map((name) =>
      texts(column<Utf8>(batch, name)),
    );
    return Array.from({ length: batch.numRows }, (_, row) => ({
      in: ins[row] ?? 0,
      state: answerStates[states[row] ?? 0] ?? 'error',
      ...given('value', values[row]),
      ...given('confidence', confidences.getValid(row) ? confidences.values[row] : undefined),
      ...given('code', codes[row]),
      ...given('message', messages[row]),
    }));
  });
}

function given<Name extends string, T>(name: Name, value: T | undefined): { readonly [key in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [key in Name]?: T });
}
