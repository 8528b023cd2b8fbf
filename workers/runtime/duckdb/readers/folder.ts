import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { FermataError } from '../../../../plans/protocol/errors.js';
import { decodeFolderManifest, type FolderFile } from '../../../../plans/relation/folder-manifest.js';
import { formatMediaRef } from '../../../../plans/relation/media-ref.js';
import { quoteText } from '../../../../plans/relation/names.js';
import { sniffFile } from '../../media/media-files.js';
import type { Reader, ReaderContext } from './reader.js';

/** Column of a folder that holds the file itself. */
export const fileColumn = 'file';

/** Files looked at together: enough to hide a store's latency. */
const parallel = 8;

/** A name that promises an image or a sound; when the bytes are neither, somebody wants to know. */
const mediaName = /\.(png|jpe?g|gif|webp|bmp|wav|mp3|flac|ogg|oga)$/i;

type Found = FolderFile & { readonly mediaType: string };

async function read(context: ReaderContext): Promise<string> {
  const { session, path, input } = context;
  const files = await mediaOf(context, decodeFolderManifest(await readFile(path)));
  const kinds = new Set(files.map((file) => file.mediaType.split('/')[0]));
  if (kinds.size !== 1) {
    const problem = kinds.size === 0 ? 'neither images nor audio files' : 'both images and audio files';
    throw new FermataError('BadData', `The folder ${input.path} holds ${problem}.`, {
      hint: 'A table is a folder of PNG, JPEG, GIF, WebP and BMP files, or one of WAV, MP3, FLAC and OGG files.',
      where: { file: input.path, table: input.name },
    });
  }
  const lines = files.map((file) =>
    JSON.stringify({
      path: within(input.path, file.path),
      name: file.name,
      [fileColumn]: formatMediaRef({ mediaType: file.mediaType, hash: file.object }),
      bytes: file.bytes,
      media_type: file.mediaType,
    }),
  );
  const rows = join(session.workDir, 'folder.jsonl');
  await writeFile(rows, lines.join('\n'));
  const columns = `{path: 'VARCHAR', name: 'VARCHAR', ${fileColumn}: 'VARCHAR', bytes: 'BIGINT', media_type: 'VARCHAR'}`;
  return `SELECT * FROM read_json(${quoteText(rows)}, format = 'newline_delimited', columns = ${columns})`;
}

/** The files that are images or sounds; others are passed over, broken ones refused. */
async function mediaOf({ store, input }: ReaderContext, files: readonly FolderFile[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < files.length; from += parallel) {
    const some = files.slice(from, from + parallel);
    const sniffed = await Promise.all(some.map(async ({ object }) => sniffFile(await store.localPath(object))));
    for (const [index, file] of some.entries()) {
      const result = sniffed[index];
      if (result?.ok) found.push({ ...file, mediaType: result.kind.mediaType });
      else if (result !== undefined && (result.modality !== undefined || mediaName.test(file.name))) {
        throw new FermataError(
          'BadMedia',
          `The file ${within(input.path, file.path)} of ${input.path} ${result.problem}.`,
          {
            hint: 'Replace the file or move it out of the folder.',
            where: { table: input.name, file: file.path },
          },
        );
      }
    }
  }
  return found;
}

function within(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** A folder of images or audio files: `path`, `name`, `file`, `bytes`, `media_type`, in the order of the manifest. */
export const folderReader: Reader = { read };
