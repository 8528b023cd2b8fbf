import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { FermataError } from '../../plans/protocol/errors.js';
import { parseJson } from '../../plans/protocol/json.js';

const port = z.number().int().min(1).max(65_535);

const identitySchema = z.object({ pid: z.number().int().positive(), start: z.string(), command: z.string() });

export const portsSchema = z.object({ grpc: port, ui: port, http: port, metrics: port });

export const versionsSchema = z.object({ fermata: z.string(), node: z.string(), temporal: z.string() });

/** `.fermata/stack.json`: enough to find a running stack, and to clear away what a dead one left. Holds no secret. */
const stateSchema = z.object({
  format: z.literal(1),
  /** Names this start of the stack. */
  id: z.string(),
  host: z.string(),
  supervisor: identitySchema,
  controlSocket: z.string(),
  ports: portsSchema,
  /** Server and workers that run, by name. */
  processes: z.record(z.string(), identitySchema),
});

export type StackState = z.infer<typeof stateSchema>;

/** Where things of a stack are, all under `home` except a control socket whose path would be too long. */
export interface StackPaths {
  readonly home: string;
  readonly state: string;
  readonly lock: string;
  readonly settings: string;
  readonly database: string;
  readonly logs: string;
  readonly controlSocket: string;
}

/** Unix sockets take 103 bytes of path on macOS and 107 on Linux. */
const longestSocketPath = 100;

export function stackPaths(home: string): StackPaths {
  return {
    home,
    state: join(home, 'stack.json'),
    lock: join(home, 'stack.lock'),
    settings: join(home, 'settings.json'),
    database: join(home, 'temporal.db'),
    logs: join(home, 'logs'),
    controlSocket: socketPath(home),
  };
}

/** The log of a process of the stack. */
export function logFile(paths: StackPaths, process: string): string {
  return join(paths.logs, `${process}.log`);
}

function socketPath(home: string): string {
  const path = join(home, 'control.sock');
  if (Buffer.byteLength(path) <= longestSocketPath) return path;
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  return join(tmpdir(), `fermata-${userInfo().uid}`, `${name}.sock`);
}

/** The state file, or undefined when there is none or it is not one of ours. */
export function readState(paths: StackPaths): StackState | undefined {
  let text: string;
  try {
    text = readFileSync(paths.state, 'utf8');
  } catch {
    return undefined;
  }
  const parsed = parseJson(text);
  return parsed.ok ? stateSchema.safeParse(parsed.value).data : undefined;
}

export function writeState(paths: StackPaths, state: StackState): void {
  writePrivately(paths.state, JSON.stringify(state, null, 2));
}

/** Replaces a file at once, readable by its owner only. */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/**
 * Makes the folder of the stack.
 *
 * @throws FermataError `StackFailed` when that is not possible
 */
export function makeHome(paths: StackPaths): void {
  try {
    mkdirSync(paths.home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new FermataError('StackFailed', `The folder of the stack cannot be made: ${(error as Error).message}`, {
      hint: 'Set FERMATA_HOME to a folder that you may write to.',
      cause: error,
    });
  }
}

/** Removes what only a running stack needs; the database and the logs stay. */
export function removeState(paths: StackPaths): void {
  for (const path of [paths.controlSocket, paths.settings, paths.state]) rmSync(path, { force: true });
}
