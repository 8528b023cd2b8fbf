/** From the list of ids that match to the answer of each pair. */
import type { SemanticCall } from '../../operators/call.js';
import { isObject } from '../../operators/decode-value.js';
import type { Decoded } from '../../operators/operator.js';
import { jsonParts, withoutThoughts } from '../../operators/reply-text.js';
import type { JsonValue } from '../../protocol/json.js';
import { readBatch } from '../batch/reply.js';

/**
 * Ids that the reply lists match, the others do not. A list with anything that is no id says nothing about those it leaves
 * out: the strange one may be meant for one of them. A reply with a verdict for each id, as a batch has, is read as one.
 *
 * @example readMatches('{"answer": ["wkt"]}', call, ['wkt', 'cqh']).get('cqh'); // { ok: true, value: false }
 */
export function readMatches(reply: string, call: SemanticCall, ids: readonly string[]): ReadonlyMap<string, Decoded> {
  const lists = jsonParts(withoutThoughts(reply) ?? '').flatMap((part) => {
    const list = isObject(part) ? part['answer'] : part;
    return Array.isArray(list) ? [list as readonly JsonValue[]] : [];
  });
  const [list, ...more] = lists;
  if (list === undefined) return readBatch(reply, call, ids);
  if (list.some((item) => isObject(item))) return readBatch(reply, call, ids);
  const wanted = new Set(ids);
  const listed = new Set(list.map((item) => (typeof item === 'string' ? item.trim().toLowerCase() : '')));
  const whole = more.length === 0 && [...listed].every((id) => wanted.has(id));
  return new Map(
    ids.map((id): [string, Decoded] => {
      if (more.length > 0) return [id, { ok: false, problem: 'The reply has several lists.' }];
      if (listed.has(id)) return [id, { ok: true, value: true }];
      return [
        id,
        whole ? { ok: true, value: false } : { ok: false, problem: 'The reply lists ids that were not given.' },
      ];
    }),
  );
}
