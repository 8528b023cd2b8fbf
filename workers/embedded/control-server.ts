import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { FermataError } from '../../plans/protocol/errors.js';
import { parseJson } from '../../plans/protocol/json.js';
import { requestSchema, type ControlReply, type ControlRequest } from './control-protocol.js';

/** No honest request is longer: an environment is at most a few megabytes. */
const longestRequestBytes = 8 * 1024 * 1024;

/**
 * Listens for {@link ControlRequest}s on a Unix socket that only its owner may open.
 *
 * @throws FermataError `StackFailed` when the folder of the socket could be changed by somebody else
 */
export async function serveControl(
  path: string,
  answer: (request: ControlRequest) => Promise<ControlReply>,
): Promise<Server> {
  securePlace(dirname(path));
  rmSync(path, { force: true });
  const server = createServer((socket) => serveSocket(socket, answer));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // The socket takes its mode from the umask at bind, which listen() does before it returns: no moment of openness.
    const before = process.umask(0o177);
    server.listen(path, resolve);
    process.umask(before);
  });
  return server;
}

function securePlace(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  const uid = process.getuid?.();
  if (stat.isDirectory() && (uid === undefined || stat.uid === uid)) return;
  throw new FermataError(
    'StackFailed',
    `${folder} belongs to another user, so the stack cannot be controlled safely.`,
    {
      hint: 'Set FERMATA_HOME to a folder of your own with a short path.',
    },
  );
}

function serveSocket(socket: Socket, answer: (request: ControlRequest) => Promise<ControlReply>): void {
  socket.on('error', () => socket.destroy());
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received > longestRequestBytes) socket.destroy();
  });
  const lines = createInterface({ input: socket });
  lines.on('error', () => socket.destroy());
  lines.once('line', (line) => {
    void answerLine(line, answer).then((reply) => socket.end(`${JSON.stringify(reply)}\n`));
  });
}

async function answerLine(
  line: string,
  answer: (request: ControlRequest) => Promise<ControlReply>,
): Promise<ControlReply> {
  const parsed = parseJson(line);
  const request = requestSchema.safeParse(parsed.ok ? parsed.value : undefined);
  if (!request.success) return { ok: false, message: 'not a request that this supervisor knows' };
  try {
    return await answer(request.data);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
