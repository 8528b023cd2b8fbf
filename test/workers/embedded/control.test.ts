import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askSupervisor } from '../../../workers/embedded/control-client.js';
import type { RunningStatus } from '../../../workers/embedded/control-protocol.js';
import { serveControl } from '../../../workers/embedded/control-server.js';

const folder = mkdtempSync(join(tmpdir(), 'fermata-control-'));
const path = join(folder, 'control.sock');
const status: RunningStatus = {
  id: 'one',
  state: 'ready',
  address: '127.0.0.1:1',
  namespace: 'default',
  uiUrl: 'http://127.0.0.1:2',
  fingerprint: 'f',
  versions: { fermata: '1', node: '2', temporal: '3' },
  supervisorPid: 1,
  startedAt: '2026-01-01T00:00:00.000Z',
  processes: [],
};
let server: Server;

beforeAll(async () => {
  server = await serveControl(path, async (request) => {
    if (request.op === 'stop') throw new Error('not today');
    return request.op === 'status' ? { ok: true, status } : new Promise(() => undefined);
  });
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Sends raw bytes; what comes back until the other side closes. */
async function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(path, () => socket.write(text));
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

describe('the control socket', () => {
  it('answers a request', async () => {
    expect(await askSupervisor(path, { op: 'status' })).toEqual(status);
  });

  it.each(['no json', '{}', '{"op":"erase"}', '{"op":"restartWorkers","fingerprint":1}', 'null', ''])(
    'refuses %j and lives on',
    async (line) => {
      expect(JSON.parse(await raw(`${line}\n`))).toMatchObject({ ok: false });
      expect(await askSupervisor(path, { op: 'status' })).toEqual(status);
    },
  );

  it('closes on a request without an end, and lives on', async () => {
    expect(await raw('x'.repeat(9 * 1024 * 1024))).toBe('');
    expect(await askSupervisor(path, { op: 'status' })).toEqual(status);
  });

  it('passes a failure on, and gives up on silence and on nobody', async () => {
    await expect(askSupervisor(path, { op: 'stop' })).rejects.toThrow(/not today/);
    const silent = { op: 'restartWorkers', fingerprint: 'f', settings: {}, env: {} } as const;
    await expect(askSupervisor(path, silent, 100)).rejects.toThrow(/no answer in 100 ms/);
    await expect(askSupervisor(join(folder, 'nobody.sock'), { op: 'status' })).rejects.toThrow(/ENOENT/);
  });
});
