/** A real Temporal server in memory, on free ports, for tests of workflows. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { Connection } from '@temporalio/client';
import { findServerBinary } from '../../workers/embedded/server-binary.js';
import { searchAttributes } from '../../workflows/search-attributes.js';

export interface TestServer {
  readonly address: string;
  stop(): Promise<void>;
}

export async function startTemporalServer(dynamicConfig: readonly string[] = []): Promise<TestServer> {
  const { path } = await findServerBinary({ env: process.env });
  const port = await freePort();
  const child: ChildProcess = spawn(
    path,
    [
      ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
      ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
      ...dynamicConfig.flatMap((value) => ['--dynamic-config-value', value]),
    ],
    { stdio: 'ignore' },
  );
  const address = `127.0.0.1:${port}`;
  await untilReady(address, child);
  return {
    address,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function untilReady(address: string, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; ) {
    if (child.exitCode !== null) throw new Error(`the Temporal server ended with ${child.exitCode}`);
    try {
      const connection = await Connection.connect({ address, connectTimeout: 500 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
