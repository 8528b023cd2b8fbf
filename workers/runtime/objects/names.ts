import type { ObjectHash } from '../../../activities/ports.js';
import { FermataError } from '../../../plans/protocol/errors.js';

const segment = /^[A-Za-z0-9._-]+$/;

/** @throws FermataError `Internal` unless it is 64 hex digits in lower case. */
export function checkHash(hash: ObjectHash): ObjectHash {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new FermataError('Internal', `"${hash.slice(0, 80)}" is not an object hash.`);
  return hash;
}

/** `objects/ab/cdef…`: no folder grows beyond what file systems like. */
export function objectKey(hash: ObjectHash): string {
  checkHash(hash);
  return `objects/${hash.slice(0, 2)}/${hash.slice(2)}`;
}

/** @throws FermataError `Internal` unless it is `/`-separated segments of `[A-Za-z0-9._-]+`, none of them `.` or `..`. */
export function namedKey(name: string): string {
  if (name.length > 900 || !name.split('/').every(isSegment)) throw badName(name);
  return `named/${name}`;
}

/** Key of all names that begin with `prefix`: empty, a name, or a name and `/`; the last segment may be a part of one. */
export function namedPrefix(prefix: string): string {
  const segments = prefix.split('/');
  const last = segments.pop() ?? '';
  if (!segments.every(isSegment) || (last !== '' && !isSegment(last))) throw badName(prefix);
  return `named/${prefix}`;
}

function isSegment(text: string): boolean {
  return segment.test(text) && text !== '.' && text !== '..';
}

function badName(name: string): FermataError {
  return new FermataError('Internal', `"${name.slice(0, 80)}" cannot name an object.`);
}
