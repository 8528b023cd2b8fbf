import { connect } from 'node:net';
import { FermataError } from '../../plans/protocol/errors.js';
import { parseJson } from '../../plans/protocol/json.js';
import { replySchema, type ControlRequest, type RunningStatus } from './control-protocol.js';

/**
 * Asks the supervisor behind a control socket.
 *
 * @throws FermataError `StackFailed` when nobody listens, the answer does not come in `limitMs`, or is a refusal
 */
export async function askSupervisor(path: string, request: ControlRequest, limitMs = 5_000): Promise<RunningStatus> {
  const line = await exchange(path, `${JSON.stringify(request)}\n`, limitMs);
  const parsed = parseJson(line);
  const reply = replySchema.safeParse(parsed.ok ? parsed.value : undefined);
  if (!reply.success) throw failed('its answer is not understood; another version of Fermata may have started it');
  if (!reply.data.ok) throw failed(reply.data.message);
  return reply.data.status;
}

async function exchange(path: string, request: string, limitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(path, () => socket.write(request));
    socket.setEncoding('utf8');
    const timer = setTimeout(() => socket.destroy(failed(`no answer in ${limitMs} ms`)), limitMs);
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('error', (error) => reject(FermataError.is(error) ? error : failed(error.message, error)));
    socket.on('close', () => {
      clearTimeout(timer);
      if (answer.endsWith('\n')) resolve(answer);
      else reject(failed('it closed the connection without an answer'));
    });
  });
}

function failed(reason: string, cause?: unknown): FermataError {
  return new FermataError('StackFailed', `The supervisor of the stack could not be asked: ${reason}.`, {
    hint: 'See `fermata status`. `fermata down` ends what is left of a stack.',
    cause,
  });
}
