import type { SemanticCall } from '../../plans/operators/call.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { formatMediaRef, parseMediaRef } from '../../plans/relation/media-ref.js';
import type { InputRow, MediaPreparer, MediaRef, Model } from '../ports.js';

/** An input whose media are as the model takes them, or what is wrong with one of them. */
export interface PreparedRow {
  readonly row: InputRow;
  readonly problem?: CallError;
}

/** Rows at once: one that is prepared holds an image in memory, one that is looked up waits for the store. */
const parallel = { prepare: 4, find: 32 } as const;

/**
 * Puts prepared images and clips in the place of stored ones, for a language model; specialised models read the originals.
 * An image or clip that cannot be used is a problem of its row. Throws what the store throws.
 */
export async function prepareMedia(
  rows: readonly InputRow[],
  call: SemanticCall,
  model: Model,
  media: Pick<MediaPreparer, 'image' | 'audio'>,
): Promise<readonly PreparedRow[]> {
  if (!readsMedia(call, model)) return rows.map((row) => ({ row }));
  return eachRow(rows, call, parallel.prepare, (ref) => media[ref.type](ref));
}

/** The same with what has been prepared before; nothing is made, and other media stay as they are. */
export async function findPrepared(
  rows: readonly InputRow[],
  call: SemanticCall,
  model: Model,
  media: Pick<MediaPreparer, 'find'>,
): Promise<readonly InputRow[]> {
  if (!readsMedia(call, model)) return rows;
  const found = await eachRow(rows, call, parallel.find, async (ref) => (await media.find(ref)) ?? ref);
  return found.map(({ row }) => row);
}

function readsMedia({ inputs }: SemanticCall, { language }: Model): boolean {
  return language !== undefined && inputs.some(({ modality }) => modality !== 'text');
}

async function eachRow(
  rows: readonly InputRow[],
  call: SemanticCall,
  atOnce: number,
  prepare: (ref: MediaRef) => Promise<MediaRef>,
): Promise<readonly PreparedRow[]> {
  const places = call.inputs.flatMap(({ modality }, at) => (modality === 'text' ? [] : [at]));
  const prepared: PreparedRow[] = [];
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce).map((row) => oneRow(row, places, prepare));
    prepared.push(...(await Promise.all(some)));
  }
  return prepared;
}

async function oneRow(
  row: InputRow,
  places: readonly number[],
  prepare: (ref: MediaRef) => Promise<MediaRef>,
): Promise<PreparedRow> {
  const values = [...row.values];
  try {
    for (const at of places) {
      const ref = parseMediaRef(values[at] ?? '');
      if (ref !== undefined) values[at] = formatMediaRef(await prepare(ref));
    }
  } catch (error) {
    return { row, problem: problemOf(error) };
  }
  return { row: { ...row, values } };
}

function problemOf(error: unknown): CallError {
  if (error instanceof CallError) return error;
  if (FermataError.is(error, 'ObjectMissing')) return new CallError('badMedia', error.message, { cause: error });
  throw error;
}
