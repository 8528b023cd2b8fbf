import { FermataError } from '../protocol/errors.js';
import { type JsonValue, parseJson } from '../protocol/json.js';

/** One file of a folder that is read as a table. */
export interface FolderFile {
  /** Relative to the folder, with `/` between its parts. */
  readonly path: string;
  /** Hash of the bytes in the store. */
  readonly object: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** The object that stands for a folder of images or audio files. */
export interface FolderManifest {
  readonly v: 1;
  readonly files: readonly FolderFile[];
}

export function encodeFolderManifest(manifest: FolderManifest): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(manifest));
}

/** @throws FermataError `BadData` */
export function decodeFolderManifest(bytes: Uint8Array): FolderManifest {
  const parsed = parseJson(new TextDecoder().decode(bytes));
  const files = parsed.ok ? member(parsed.value, 'files') : undefined;
  if (!Array.isArray(files)) throw damaged();
  return { v: 1, files: (files as readonly JsonValue[]).map(decodeFile) };
}

function decodeFile(value: JsonValue): FolderFile {
  const [path, object, bytes, mediaType] = ['path', 'object', 'bytes', 'mediaType'].map((name) => member(value, name));
  if (typeof path !== 'string' || typeof object !== 'string') throw damaged();
  if (typeof bytes !== 'number' || typeof mediaType !== 'string') throw damaged();
  return { path, object, bytes, mediaType };
}

function member(value: JsonValue, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: JsonValue })[name];
}

function damaged(): FermataError {
  return new FermataError('BadData', 'The manifest of a folder cannot be read.', {
    hint: 'Name the folder again: its manifest is then made anew.',
  });
}
