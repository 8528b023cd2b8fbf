import type { Settings } from '../config/settings.js';
import { askSupervisor } from './control-client.js';
import type { RunningStatus } from './control-protocol.js';
import { packageVersion } from './package-root.js';
import { isAlive, waitGone } from './process-identity.js';
import { stackFingerprint, type Environment } from './stack-fingerprint.js';
import type { StackPlan } from './stack-plan.js';
import { makeHome, readState, stackPaths, type StackPaths, type StackState } from './stack-state.js';

/** Where a client connects. */
export interface StackAddress {
  /** `host:port` of the Temporal server. */
  readonly address: string;
  readonly namespace: string;
  /** Temporal's own UI; absent for the user's own cluster, whose UI we do not know. */
  readonly uiUrl?: string;
}

export interface StackOptions {
  /** Called with a short line before each step that may take a while. */
  readonly onProgress?: (message: string) => void;
  /** What the stack consists of. */
  readonly plan?: StackPlan;
}

export type StackStatus =
  | { readonly state: 'down'; readonly home: string }
  /** The user's own cluster: nothing of ours runs here. */
  | { readonly state: 'external'; readonly address: string; readonly namespace: string }
  /** The supervisor was killed; the next `up` or `down` clears away what it left. */
  | { readonly state: 'stale'; readonly home: string; readonly leftovers: readonly string[] }
  | RunningStatus;

/** Another process may be downloading the server while it holds the lock. */
const lockLimitMs = 300_000;
/** Workers get 20 s and the server 10 s; the supervisor itself a little more. */
const stopLimitMs = 40_000;
/** From closing its control socket to its end, a supervisor takes some milliseconds. */
const endingMs = 2_000;

/**
 * Gives a running stack: the user's own cluster when settings name one; else the embedded stack of the project, which
 * is started when it does not run, and whose workers are restarted when they work by other settings or API keys.
 *
 * @param env - the environment in which the server binary is looked for, and that workers get
 * @throws FermataError `ServerBinaryMissing`; `StackFailed` when a process of the stack does not come up
 */
export async function ensureStack(
  settings: Settings,
  env: Environment,
  options: StackOptions = {},
): Promise<StackAddress> {
  if (settings.temporal !== undefined) return settings.temporal;
  const { address, namespace, uiUrl } = await startEmbedded(settings, env, options);
  return { address, namespace, uiUrl };
}

/** As {@link ensureStack}, but gives the whole status. */
export async function up(settings: Settings, env: Environment, options: StackOptions = {}): Promise<StackStatus> {
  if (settings.temporal !== undefined) return { state: 'external', ...settings.temporal };
  return startEmbedded(settings, env, options);
}

/**
 * Stops the embedded stack of the project and whatever a killed one left. Runs in progress go on after the next `up`.
 *
 * @returns whether there was anything to stop
 */
export async function down(settings: Settings): Promise<boolean> {
  const paths = stackPaths(settings.home);
  if (readState(paths) === undefined) return false;
  const { withLock } = await import('./stack-lock.js');
  return withLock(paths.lock, lockLimitMs, async () => {
    const state = readState(paths);
    if (state === undefined) return false;
    await stopRunning(paths, state);
    return true;
  });
}

/** What runs, without changing anything. */
export async function status(settings: Settings): Promise<StackStatus> {
  if (settings.temporal !== undefined) return { state: 'external', ...settings.temporal };
  const paths = stackPaths(settings.home);
  const found = await findSupervised(paths);
  if (found !== undefined) return found;
  const state = readState(paths);
  if (state === undefined) return { state: 'down', home: paths.home };
  const leftovers = Object.entries(state.processes).filter(([, identity]) => isAlive(identity));
  return { state: 'stale', home: paths.home, leftovers: leftovers.map(([name, { pid }]) => `${name} (pid ${pid})`) };
}

async function startEmbedded(settings: Settings, env: Environment, options: StackOptions): Promise<RunningStatus> {
  const paths = stackPaths(settings.home);
  const fingerprint = stackFingerprint(settings, env);
  const running = await findRunning(paths);
  // The ordinary case, kept free of locks: one request to a stack that is as it should be.
  if (running?.state === 'ready' && isCurrent(running, fingerprint)) return running;
  makeHome(paths);
  const [{ withLock }, { waitUntilReady }] = await Promise.all([
    import('./stack-lock.js'),
    import('./wait-until-ready.js'),
  ]);
  await withLock(paths.lock, lockLimitMs, () => bringUp({ paths, settings, env, fingerprint, options }));
  return waitUntilReady(paths, options.onProgress);
}

interface BringUp {
  readonly paths: StackPaths;
  readonly settings: Settings;
  readonly env: Environment;
  readonly fingerprint: string;
  readonly options: StackOptions;
}

/** Under the lock: leaves a stack of this version and fingerprint running, though perhaps not ready yet. */
async function bringUp({ paths, settings, env, fingerprint, options }: BringUp): Promise<void> {
  const previous = readState(paths);
  const running = await findRunning(paths);
  if (running !== undefined && isCurrent(running, fingerprint)) return;
  if (previous !== undefined && running?.versions.fermata === packageVersion()) {
    options.onProgress?.('settings or keys have changed: restarting the workers');
    const restart = { op: 'restartWorkers', fingerprint, settings: { ...settings }, env: defined(env) } as const;
    await askSupervisor(previous.controlSocket, restart);
    return;
  }
  if (previous !== undefined) {
    options.onProgress?.(
      running === undefined ? 'clearing away a stack that was killed' : 'replacing an older version',
    );
    await stopRunning(paths, previous);
  }
  const previousPorts = previous?.ports;
  const [{ launchSupervisor }, { defaultStackPlan }] = await Promise.all([
    import('./launch.js'),
    import('./stack-plan.js'),
  ]);
  const plan = options.plan ?? defaultStackPlan;
  await launchSupervisor({ paths, settings, fingerprint, plan, env, previousPorts, onProgress: options.onProgress });
}

function isCurrent(running: RunningStatus, fingerprint: string): boolean {
  return running.fingerprint === fingerprint && running.versions.fermata === packageVersion();
}

/** The status of a stack that serves; undefined when there is none, or it is on its way out. */
async function findRunning(paths: StackPaths): Promise<RunningStatus | undefined> {
  const found = await findSupervised(paths);
  return found?.state === 'stopping' ? undefined : found;
}

/**
 * What the supervisor says; undefined when there is none. One that lives but does not answer is an error: taking it for
 * dead would end a stack that is merely slow.
 */
async function findSupervised(paths: StackPaths): Promise<RunningStatus | undefined> {
  const state = readState(paths);
  if (state === undefined || !isAlive(state.supervisor)) return undefined;
  try {
    const found = await askSupervisor(state.controlSocket, { op: 'status' });
    return found.id === state.id ? found : undefined;
  } catch (error) {
    // It may have been about to end when it was asked.
    if (await waitGone(state.supervisor, endingMs)) return undefined;
    throw error;
  }
}

/** Asks the supervisor to stop, insists by signal, then clears away what is left of it. */
async function stopRunning(paths: StackPaths, state: StackState): Promise<void> {
  if (isAlive(state.supervisor)) {
    await askSupervisor(state.controlSocket, { op: 'stop' }).catch(() => {
      if (isAlive(state.supervisor)) process.kill(state.supervisor.pid, 'SIGTERM');
    });
    await waitGone(state.supervisor, stopLimitMs);
  }
  const { clearLeftovers } = await import('./leftovers.js');
  await clearLeftovers(paths, state);
}

function defined(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
