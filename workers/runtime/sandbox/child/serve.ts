import { writeSync } from 'node:fs';
import { parseJson } from '../../../../plans/protocol/json.js';
import { type BatchRequest, progressFd } from '../protocol.js';
import { Engine } from './engine.js';

const tick = new Uint8Array(1);

/**
 * Answers requests of standard input, a line each, on standard output. An abort of the engine ends the process with its
 * exit code: nothing in it can be trusted any more.
 */
export async function serve(): Promise<void> {
  const engine = await Engine.open(() => writeSync(progressFd, tick));
  send({ ready: true });
  process.stdin.setEncoding('utf8');
  let rest = '';
  for await (const text of process.stdin as AsyncIterable<string>) {
    // Not `node:readline`, which takes U+2028 for the end of a line, too.
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) send(engine.run(readRequest(line)));
  }
}

function readRequest(line: string): BatchRequest {
  const request = parseJson(line);
  if (!request.ok) throw new Error('a request that is no JSON');
  return request.value as unknown as BatchRequest;
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
