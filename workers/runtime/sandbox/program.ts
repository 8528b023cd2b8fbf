/** The program of a child, and the files that it needs to read: nothing else of the machine is open to it. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compiled } from '../../embedded/package-root.js';

const require = createRequire(import.meta.url);

const packages = ['quickjs-emscripten-core', '@jitl/quickjs-ng-wasmfile-release-sync', '@jitl/quickjs-ffi-types'];

export function readProgram(): { readonly main: string; readonly readable: readonly string[] } {
  return {
    main: compiled('workers/sandbox-main.js'),
    readable: [
      compiled('workers/sandbox-main.js'),
      compiled('workers/runtime/sandbox/*'),
      compiled('plans/physical/synthesis/*'),
      compiled('plans/protocol/json.js'),
      ...packages.map((name) => join(packageFolder(name), '*')),
    ],
  };
}

function packageFolder(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return dirname(require.resolve(join(folder, name, 'package.json')));
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`${name} is not installed`);
}
