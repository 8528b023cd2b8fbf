import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { FermataError } from '../../plans/protocol/errors.js';
import type { Logger } from '../telemetry/logger.js';

/** How long a worker waits for its server before it gives up and lets the supervisor start it again. */
const connectLimitMs = 60_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;

/**
 * Connects to the server and waits until the namespace is there. A stack starts its server and its workers at the same
 * time, so that "connection refused" is the ordinary first answer.
 *
 * @throws FermataError `ServerUnreachable` after 60 s; the abort reason when `signal` aborts
 */
export async function connectWithRetry(
  address: string,
  namespace: string,
  log: Logger,
  signal: AbortSignal,
): Promise<NativeConnection> {
  const deadline = performance.now() + connectLimitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    signal.throwIfAborted();
    try {
      return await connectOnce(address, namespace);
    } catch (error) {
      if (performance.now() > deadline)
        throw new FermataError('ServerUnreachable', `No Temporal server answers at ${address}.`, { cause: error });
      log.debug({ address, reason: String(error) }, 'server is not there yet');
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

async function connectOnce(address: string, namespace: string): Promise<NativeConnection> {
  const connection = await NativeConnection.connect({ address });
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}
