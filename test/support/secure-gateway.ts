/** What stands before a secured cluster: ends TLS, checks the API key, and passes gRPC on to a plain server. */
import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Identity } from './certificates.js';

export interface GatewayOptions {
  /** `host:port` of the plain server. */
  readonly to: string;
  readonly identity: Identity;
  /** CA whose client certificates are demanded. */
  readonly clientCa?: string;
  readonly apiKey?: string;
}

export interface Gateway {
  /** `localhost:port`. */
  readonly address: string;
  /** Headers of the requests that came, in order. */
  readonly requests: IncomingHttpHeaders[];
  close(): Promise<void>;
}

const unauthenticated = '16';

export async function startGateway({ to, identity, clientCa, apiKey }: GatewayOptions): Promise<Gateway> {
  const upstream = connect(`http://${to}`);
  const requests: IncomingHttpHeaders[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer({
    key: readFileSync(identity.key),
    cert: readFileSync(identity.cert),
    ...(clientCa === undefined ? {} : { ca: readFileSync(clientCa), requestCert: true, rejectUnauthorized: true }),
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    requests.push(headers);
    if (apiKey === undefined || headers.authorization === `Bearer ${apiKey}`) forward(upstream, stream, headers);
    else refuse(stream, String(headers.authorization));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A careless server repeats in its answer what it was sent. */
function refuse(stream: ServerHttp2Stream, given: string): void {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': unauthenticated,
      'grpc-message': `no such key: ${given}`,
    },
    { endStream: true },
  );
}

function forward(upstream: ClientHttp2Session, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const request = upstream.request({ ...headers, ':authority': undefined });
  let trailers: IncomingHttpHeaders = {};
  stream.on('wantTrailers', () => stream.sendTrailers({ ...trailers }));
  stream.on('error', () => request.destroy());
  request.on('error', () => stream.destroy());
  request.on('trailers', (received: IncomingHttpHeaders) => {
    trailers = received;
  });
  request.on('response', (answer) => {
    stream.respond({ ...answer }, { waitForTrailers: true });
    request.pipe(stream);
  });
  stream.pipe(request);
}
