/** Where peers are installed: a virtual environment of its own for each, `$FERMATA_PEERS/<name>`. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const scripts = fileURLToPath(new URL('../../../bench/peers/', import.meta.url));

/** The Python of a peer, and whether it is installed. */
export function peerPython(name: string): { readonly path: string; readonly isThere: boolean } {
  const home = process.env['FERMATA_PEERS'] ?? join(homedir(), '.cache', 'fermata', 'peers');
  const path = join(home, name, 'bin', 'python');
  return { path, isThere: existsSync(path) };
}

/**
 * Runs a script of bench/peers in the environment of a peer.
 * @returns what follows `MEASURED ` on a line of its output
 * @throws Error that says in a line what is missing or failed: the peer, its output in time
 */
export async function runPeer(name: string, script: string, args: readonly string[], limitMs: number): Promise<string> {
  const { path: python, isThere } = peerPython(name);
  if (!isThere) throw new Error(`not run: no ${python}`);
  const options = { timeout: limitMs, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)(python, [join(scripts, script), ...args], options).catch(
    (error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`failed: ${text.trim().split('\n').at(-1)?.slice(0, 160) ?? ''}`, { cause: error });
    },
  );
  const line = /^MEASURED (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error('not measured: it printed no figures');
  return line;
}
