import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { parseJson } from '../../plans/protocol/json.js';

const manifestSchema = z.object({ version: z.string() });

/** The folder of this package: the nearest one upwards with a package.json, from the sources as from `dist`. */
const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** A compiled program of this package, by its path under `dist`. */
export function compiled(path: string): string {
  return join(packageRoot, 'dist', path);
}

/** The version of this package. */
export function packageVersion(): string {
  const parsed = parseJson(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  return (parsed.ok && manifestSchema.safeParse(parsed.value).data?.version) || 'unknown';
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json')) || dirname(folder) === folder) return folder;
  return findRoot(dirname(folder));
}
