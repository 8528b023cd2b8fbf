import type { AnswerRow, PartitionCodec } from '../../../activities/ports.js';
import { type AnswerRow as StoredAnswer, decodeAnswers, encodeAnswers } from './answers.js';
import { decodeInputs, encodeInputs } from './inputs.js';

/** Partitions as Arrow IPC streams. */
export const partitionCodec: PartitionCodec = {
  decodeInputs,
  encodeInputs,
  decodeAnswers: (bytes) => decodeAnswers(bytes).map(answerOf),
  encodeAnswers,
};

function answerOf({ in: at, state, value, confidence, code, message }: StoredAnswer): AnswerRow {
  if (state === 'undecided') return { in: at, state };
  if (state === 'error') return { in: at, state, code: code ?? '', message: message ?? '' };
  return { in: at, state: 'ok', value: value ?? 'null', ...(confidence === undefined ? {} : { confidence }) };
}
