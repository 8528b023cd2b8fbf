import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { FermataError } from '../../plans/protocol/errors.js';

/** Ports of the embedded server, all on the loopback address. */
export interface ServerPorts {
  readonly grpc: number;
  readonly ui: number;
  readonly http: number;
  readonly metrics: number;
}

export const loopback = '127.0.0.1';

/**
 * Below the ports that systems hand to outgoing connections (from 32768 on Linux, 49152 on macOS): a port from that range
 * could be taken by somebody's connection while the server restarts, and a client that retries could connect to itself.
 */
const range = { from: 20_000, to: 32_000 } as const;
const tries = 100;

/** Whether a server could listen on this loopback port now. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: loopback, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * The ports of `previous` when all are free, so that clients of an earlier start find the server again; else new ones.
 *
 * @throws FermataError `StackFailed` when no free port is found
 */
export async function choosePorts(previous?: ServerPorts): Promise<ServerPorts> {
  if (previous !== undefined) {
    const free = await Promise.all(Object.values(previous).map(isFree));
    if (free.every(Boolean)) return previous;
  }
  const taken = new Set<number>();
  return {
    grpc: await anyFreePort(taken),
    ui: await anyFreePort(taken),
    http: await anyFreePort(taken),
    metrics: await anyFreePort(taken),
  };
}

async function anyFreePort(taken: Set<number>): Promise<number> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const port = randomInt(range.from, range.to);
    if (taken.has(port) || !(await isFree(port))) continue;
    taken.add(port);
    return port;
  }
  throw new FermataError('StackFailed', `No free port between ${range.from} and ${range.to} on ${loopback}.`, {
    hint: 'End programs that listen there, or use your own Temporal server through TEMPORAL_ADDRESS.',
  });
}
