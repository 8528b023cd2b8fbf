import { FermataError } from '../protocol/errors.js';
import { type JsonValue, parseJson } from '../protocol/json.js';

/** One file of a folder that is read as a table. */
export interface FolderFile {
  /** Where the file was when it was stored. */
  readonly path: string;
  readonly name: string;
  /** Hash of the bytes in the store. */
  readonly object: string;
  readonly bytes: number;
}

/**
 * Reads the object that stands for a folder: `{"v": 1, "rows": [{"path", "name", "object", "bytes"}, …]}`.
 *
 * @throws FermataError `BadData`
 */
export function decodeFolderManifest(bytes: Uint8Array): readonly FolderFile[] {
  const parsed = parseJson(new TextDecoder().decode(bytes));
  const rows = parsed.ok ? member(parsed.value, 'rows') : undefined;
  if (!Array.isArray(rows)) throw damaged();
  return (rows as readonly JsonValue[]).map(decodeFile);
}

function decodeFile(value: JsonValue): FolderFile {
  const [path, name, object, bytes] = ['path', 'name', 'object', 'bytes'].map((key) => member(value, key));
  if (typeof path !== 'string' || typeof name !== 'string') throw damaged();
  if (typeof object !== 'string' || typeof bytes !== 'number') throw damaged();
  return { path, name, object, bytes };
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
