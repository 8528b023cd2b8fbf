import type { PartitionCodec } from '../../../activities/ports.js';
import { encodeAnswers } from './answers.js';
import { decodeInputs } from './inputs.js';

/** Partitions as Arrow IPC streams. */
export const partitionCodec: PartitionCodec = { decodeInputs, encodeAnswers };
