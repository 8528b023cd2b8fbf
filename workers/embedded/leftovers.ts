import { hostname } from 'node:os';
import { FermataError } from '../../plans/protocol/errors.js';
import { endProcess, identify } from './process-identity.js';
import { serverName } from './server-process.js';
import { readState, removeState, type StackPaths, type StackState } from './stack-state.js';

/** From SIGTERM to SIGKILL. Workers have been leaving by themselves since their supervisor ended. */
const graceMs = 5_000;

/**
 * Ends the processes of a stack whose supervisor no longer does, each only when pid, start time and command line are
 * the recorded ones, and removes its state files.
 *
 * @throws FermataError `StackFailed` when the stack was started on another machine that shares this folder
 */
export async function clearLeftovers(paths: StackPaths, state: StackState): Promise<void> {
  refuseOtherMachine(paths, state);
  // A stopping supervisor that hangs restarts nothing, but one that merely stalls might: it goes first.
  await endProcess(state.supervisor, 0, 'SIGKILL');
  const recorded = readState(paths);
  const processes = { ...state.processes, ...(recorded?.id === state.id ? recorded.processes : {}) };
  const { [serverName]: server, ...workers } = processes;
  await Promise.all(Object.values(workers).map((identity) => endProcess(identity, graceMs)));
  if (server !== undefined) await endProcess(server, graceMs);
  removeState(paths);
}

/** A start carries the boot it belongs to: the same host name after a reboot is fine, another host is not ours to judge. */
function refuseOtherMachine(paths: StackPaths, state: StackState): void {
  const bootOf = (start: string): string => start.split(':')[0] ?? '';
  const here = identify(process.pid)?.start ?? '';
  if (state.host === hostname() || bootOf(state.supervisor.start) === bootOf(here)) return;
  throw new FermataError('StackFailed', `The stack in ${paths.home} was started on another machine, ${state.host}.`, {
    hint: `Run \`fermata down\` there, or remove ${paths.state} when that machine is gone.`,
  });
}
