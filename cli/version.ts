import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '../plans/protocol/json.js';

/** The package's folder: the nearest one above this module with a package.json; the same from source and from `dist`. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    try {
      readFileSync(join(folder, 'package.json'));
      return folder;
    } catch {
      const above = dirname(folder);
      if (above === folder) throw new Error('fermata is not installed as a package: no package.json above it');
      folder = above;
    }
  }
}

/** Version of this package. */
export function version(): string {
  const parsed = parseJson(readFileSync(join(packageFolder(), 'package.json'), 'utf8'));
  const found = parsed.ok ? (parsed.value as { readonly version?: unknown }).version : undefined;
  return typeof found === 'string' ? found : 'unknown';
}
