import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FermataError } from '../../../../plans/protocol/errors.js';
import { decodeFolderManifest } from '../../../../plans/relation/folder-manifest.js';
import { formatMediaRef } from '../../../../plans/relation/media-ref.js';
import { quoteText } from '../../../../plans/relation/names.js';
import type { Reader, ReaderContext } from './reader.js';

/** Column of a folder that holds the file itself. */
export const fileColumn = 'file';

async function read({ session, path, input }: ReaderContext): Promise<string> {
  const { files } = decodeFolderManifest(await readFile(path));
  const kinds = new Set(files.map((file) => file.mediaType.split('/')[0]));
  if (kinds.size > 1) {
    throw new FermataError('BadData', `The folder ${input.path} holds both images and audio files.`, {
      hint: 'Keep them in a folder each and name both as tables.',
      where: { file: input.path, table: input.name },
    });
  }
  const lines = files.map(({ path: name, object, bytes, mediaType }) =>
    JSON.stringify({
      path: name,
      name: name.slice(name.lastIndexOf('/') + 1),
      [fileColumn]: formatMediaRef({ mediaType, hash: object }),
      bytes,
      media_type: mediaType,
    }),
  );
  const rows = join(session.workDir, 'folder.jsonl');
  await writeFile(rows, lines.join('\n'));
  const columns = `{path: 'VARCHAR', name: 'VARCHAR', ${fileColumn}: 'VARCHAR', bytes: 'BIGINT', media_type: 'VARCHAR'}`;
  return `SELECT * FROM read_json(${quoteText(rows)}, format = 'newline_delimited', columns = ${columns})`;
}

/** A folder of images or audio files: `path`, `name`, `file`, `bytes`, `media_type`, in the order of the paths. */
export const folderReader: Reader = { read };
