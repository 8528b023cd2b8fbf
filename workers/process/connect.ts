import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { FermataError } from '../../plans/protocol/errors.js';
import type { TemporalServer } from '../config/temporal.js';
import { tlsRefusal } from '../config/tls-handshake.js';
import type { Logger } from '../telemetry/logger.js';

/** How long a worker waits for its server before it gives up and lets the supervisor start it again. */
const connectLimitMs = 60_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;

/**
 * Connects to the server and waits until the namespace is there. A stack starts its server and its workers at the same
 * time, so that "connection refused" is the ordinary first answer.
 *
 * @throws FermataError `ServerUnreachable` after 60 s; `ServerRefused` at once when the TLS handshake is refused; the abort reason when `signal` aborts
 */
export async function connectWithRetry(
  server: TemporalServer,
  log: Logger,
  signal: AbortSignal,
): Promise<NativeConnection> {
  const { address } = server;
  const deadline = performance.now() + connectLimitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    signal.throwIfAborted();
    try {
      return await connectOnce(server);
    } catch (error) {
      const refusal = /InvalidCertificate\(.*?\)+/.exec(String(error))?.[0] ?? (await tlsRefusal(server));
      if (refusal !== undefined)
        throw new FermataError('ServerRefused', `No TLS connection to the Temporal server at ${address}: ${refusal}.`);
      if (performance.now() > deadline)
        throw new FermataError('ServerUnreachable', `No Temporal server answers at ${address}.`, { cause: error });
      log.debug({ address, reason: String(error) }, 'server is not there yet');
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

async function connectOnce({ namespace, address, tls, apiKey, metadata }: TemporalServer): Promise<NativeConnection> {
  const connection = await NativeConnection.connect({
    address,
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
  });
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}
