/** A connection to a Temporal server, or the reason why there is none. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { FermataError } from '../plans/protocol/errors.js';
import type { TemporalServer } from '../workers/config/temporal.js';

const connectTimeout = '10s';
/** A server that answers does so sooner. */
const patienceMs = 1_000;

/** gRPC codes of a server that answers no. */
const refusals: Readonly<Record<number, string>> = { 7: 'permission denied', 16: 'not authenticated' };

/**
 * Connects, with TLS and API key where the server is to be reached by them.
 *
 * @throws FermataError `ServerUnreachable` when nobody answers in 10 s; `ServerRefused` when the TLS handshake or the
 * key is refused. Neither repeats the key.
 */
export async function connectServer(server: TemporalServer): Promise<Connection> {
  const connection = openLater(server);
  const settled = new AbortController();
  try {
    const refused = server.tls === undefined ? plainlyRefused(server, settled.signal) : tlsRefused(server);
    await Promise.race([connection.ensureConnected(), refused]);
    return connection;
  } catch (error) {
    await connection.close();
    throw FermataError.is(error) ? error : explained(server, error);
  } finally {
    settled.abort();
  }
}

/** A connection that is made with its first request: for a server that is known to answer. */
export function openLater({ address, tls, apiKey, metadata }: TemporalServer): Connection {
  return Connection.lazy({
    address,
    connectTimeout,
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
  });
}

const never = new Promise<never>(() => undefined);

/** Rejects as soon as the server has refused the handshake; gRPC would try again until its time is up. */
async function tlsRefused(server: TemporalServer): Promise<never> {
  const { tlsRefusal } = await import('../workers/config/tls-handshake.js');
  const reason = await tlsRefusal(server);
  if (reason === undefined) return never;
  throw new FermataError('ServerRefused', `no TLS connection to the Temporal server at ${server.address}: ${reason}`, {
    hint: 'see TEMPORAL_TLS_SERVER_CA_CERT_PATH, TEMPORAL_TLS_SERVER_NAME, TEMPORAL_TLS_CLIENT_CERT_PATH and …_KEY_PATH',
  });
}

/** Rejects when the server keeps silent because it waits for a TLS handshake. */
async function plainlyRefused(server: TemporalServer, settled: AbortSignal): Promise<never> {
  await sleep(patienceMs, undefined, { ref: false, signal: settled }).catch(() => undefined);
  if (settled.aborted) return never;
  const { speaksTls } = await import('../workers/config/tls-handshake.js');
  if (!(await speaksTls(server))) return never;
  throw new FermataError('ServerRefused', `the Temporal server at ${server.address} speaks TLS only`, {
    hint: 'set TEMPORAL_TLS=true, or the certificates by TEMPORAL_TLS_*',
  });
}

function explained(server: TemporalServer, error: unknown): FermataError {
  const { address, apiKey } = server;
  const answer = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  const refusal = isGrpcServiceError(answer) ? refusals[answer.code] : undefined;
  if (refusal !== undefined && isGrpcServiceError(answer)) {
    const details = apiKey === undefined ? answer.details : answer.details.replaceAll(apiKey, '…');
    return new FermataError('ServerRefused', `the Temporal server at ${address} refuses: ${details || refusal}`, {
      hint: 'check TEMPORAL_API_KEY, and what it may do in the namespace',
    });
  }
  return new FermataError('ServerUnreachable', `no Temporal server answers at ${address}`, {
    hint: 'fermata up starts the embedded one; TEMPORAL_ADDRESS names your own',
    cause: error,
  });
}
