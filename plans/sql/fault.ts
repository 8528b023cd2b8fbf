import { type ErrorCode, FermataError } from '../protocol/errors.js';
import { positionOf, type SqlNode } from './tree.js';

/** An error at a place of the user's SQL: a node of its tree, or an offset into the text. */
export function fault(code: ErrorCode, message: string, at: SqlNode | number | undefined, hint?: string): FermataError {
  const position = typeof at === 'object' ? positionOf(at) : at;
  return new FermataError(code, message, {
    ...(hint === undefined || hint === '' ? {} : { hint }),
    where: position === undefined ? {} : { position },
  });
}
