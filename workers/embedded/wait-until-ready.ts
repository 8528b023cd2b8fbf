import { setTimeout as sleep } from 'node:timers/promises';
import { FermataError } from '../../plans/protocol/errors.js';
import { askSupervisor } from './control-client.js';
import type { ProcessStatus, RunningStatus } from './control-protocol.js';
import { waitGone } from './process-identity.js';
import { logFile, readState, type StackPaths } from './stack-state.js';

const pollMs = 25;
/** A worker may load a model of some hundred megabytes before it is ready. */
const readyLimitMs = 120_000;
/** A supervisor that was about to end when it was asked is gone soon after. */
const endingMs = 2_000;

/**
 * Waits until the server and all workers are ready. The stack is left running when they are not, so that its status and
 * logs can be read.
 *
 * @throws FermataError `StackFailed` naming the process that keeps ending, with the last lines of its log
 */
export async function waitUntilReady(
  paths: StackPaths,
  onProgress: (message: string) => void = () => undefined,
): Promise<RunningStatus> {
  const deadline = performance.now() + readyLimitMs;
  let told = '';
  for (;;) {
    const current = await currentStatus(paths);
    if (current.state === 'ready') return current;
    const waiting = current.processes.filter(({ state }) => state !== 'ready');
    const looping = waiting.find(({ state }) => state === 'crash-loop');
    if (looping !== undefined) throw failure(looping, `keeps ending (${looping.lastExit ?? 'unknown'})`);
    if (performance.now() > deadline && waiting[0] !== undefined)
      throw failure(waiting[0], `is not ready after ${readyLimitMs / 1000} s`);
    const names = waiting.map(({ name }) => name).join(', ');
    if (names !== told && names !== '') onProgress(`waiting for ${names}`);
    told = names;
    await sleep(pollMs);
  }
}

async function currentStatus(paths: StackPaths): Promise<RunningStatus> {
  const state = readState(paths);
  if (state !== undefined) {
    try {
      return await askSupervisor(state.controlSocket, { op: 'status' });
    } catch (error) {
      if (!(await waitGone(state.supervisor, endingMs))) throw error;
    }
  }
  throw new FermataError('StackFailed', 'The supervisor of the stack ended while the stack was starting.', {
    hint: `Its log is ${logFile(paths, 'supervisor')}.`,
  });
}

function failure(process: ProcessStatus, what: string): FermataError {
  const name = process.name === 'server' ? 'The Temporal server' : `The ${process.name} worker`;
  return new FermataError('StackFailed', [`${name} ${what}.`, ...process.lastLines].join('\n'), {
    hint: `Its log is ${process.log}. \`fermata status\` shows all processes; \`fermata down\` stops them.`,
  });
}
