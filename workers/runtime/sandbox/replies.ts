/** Reads what a child says. It is not trusted: anything that is not as agreed is no reply. */
import * as z from 'zod';
import { parseJson } from '../../../plans/protocol/json.js';
import type { BatchReply } from './protocol.js';

const readySchema = z.strictObject({ ready: z.literal(true) });

const replySchema = z.strictObject({
  results: z.array(z.string()),
  stopped: z.enum(['timeout', 'memory', 'not-a-function']).optional(),
  message: z.string().optional(),
});

export function isReady(line: string): boolean {
  const parsed = parseJson(line);
  return parsed.ok && readySchema.safeParse(parsed.value).success;
}

/** Undefined for anything but a result for each of `rows` rows, or for fewer and why. */
export function readReply(line: string, rows: number): BatchReply | undefined {
  const parsed = parseJson(line);
  const reply = parsed.ok ? replySchema.safeParse(parsed.value).data : undefined;
  if (reply === undefined) return undefined;
  const { results, stopped, message } = reply;
  if (stopped === undefined ? results.length !== rows : results.length >= Math.max(1, rows)) return undefined;
  return { results, ...(stopped === undefined ? {} : { stopped }), ...(message === undefined ? {} : { message }) };
}
