/** Why a TLS connection cannot be made: gRPC itself says no more than that its time was up. */
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type ConnectionOptions } from 'node:tls';
import type { TemporalServer } from './temporal.js';

const defaultPort = 7233;
/** The server speaks first in HTTP/2; one that refuses a client certificate says so in its place. */
const limitMs = 5_000;

/** Codes of a network that may be well a moment later. */
const passing = /^(ECONN|ENOTFOUND|ETIMEDOUT|EAI_|EHOST|ENET|EPIPE)/;

/** Reasons by code of OpenSSL or Node; others are told in OpenSSL's own words. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/, 'its certificate is not signed by a CA that is trusted here'],
  [/CERT_HAS_EXPIRED/, 'its certificate has expired'],
  [/ALTNAME_INVALID/, 'its certificate is for another name'],
  [/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE/, 'it asks for a client certificate that it accepts'],
  [/UNKNOWN_CA|CERTIFICATE_UNKNOWN|DECRYPT_ERROR/, 'it does not accept the client certificate'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/, 'it does not speak TLS'],
];

/** Why the server refuses a TLS connection for good; undefined when it accepts, or fails in a way that may pass. */
export async function tlsRefusal(server: TemporalServer): Promise<string | undefined> {
  const { tls } = server;
  if (tls === undefined) return undefined;
  const options: ConnectionOptions = {
    ...(tls.serverRootCACertificate === undefined ? {} : { ca: Buffer.from(tls.serverRootCACertificate) }),
    ...(tls.clientCertPair === undefined
      ? {}
      : { cert: Buffer.from(tls.clientCertPair.crt), key: Buffer.from(tls.clientCertPair.key) }),
    ...(tls.serverNameOverride === undefined ? {} : { servername: tls.serverNameOverride }),
  };
  const { secured, error } = await handshake(server, options);
  if (error === undefined) return undefined;
  // Some servers just hang up on a client certificate that they do not accept; so does one that is being restarted.
  if (secured && error.code === 'ECONNRESET') return (await hangsUp(server, options)) ? hungUp : undefined;
  if (passing.test(error.code ?? '')) return undefined;
  return reasons.find(([code]) => code.test(error.code ?? ''))?.[1] ?? error.message;
}

const againMs = 300;
const hungUp = 'it hangs up after the TLS handshake, as servers do that do not accept the client certificate';

async function hangsUp(server: TemporalServer, options: ConnectionOptions): Promise<boolean> {
  await sleep(againMs);
  return (await handshake(server, options)).error?.code === 'ECONNRESET';
}

/** Whether something at the address speaks TLS. */
export async function speaksTls(server: TemporalServer): Promise<boolean> {
  return (await handshake(server, { rejectUnauthorized: false })).secured;
}

interface Handshake {
  /** Whether it was completed; in TLS 1.3 the server may still refuse the client's certificate. */
  readonly secured: boolean;
  readonly error?: NodeJS.ErrnoException;
}

function handshake(server: TemporalServer, options: ConnectionOptions): Promise<Handshake> {
  const { hostname, port } = new URL(`tls://${server.address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      // An address is no server name.
      ...(isIP(host) === 0 ? {} : { servername: '' }),
      port: port === '' ? defaultPort : Number(port),
      ALPNProtocols: ['h2'],
      timeout: limitMs,
      ...options,
    });
    let secured = false;
    const end = (error?: NodeJS.ErrnoException): void => {
      socket.destroy();
      resolve({ secured, ...(error === undefined ? {} : { error }) });
    };
    socket.once('secureConnect', () => (secured = true));
    socket.once('data', () => end());
    socket.once('timeout', () => end());
    socket.once('end', () => end(Object.assign(new Error('it closed the connection'), { code: 'ECONNRESET' })));
    socket.on('error', end);
  });
}
