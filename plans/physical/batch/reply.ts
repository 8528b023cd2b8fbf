/** From the reply to a batch to the answer of each tuple: by id, never by place. */
import type { SemanticCall } from '../../operators/call.js';
import { isObject, type JsonObject } from '../../operators/decode-value.js';
import type { Decoded } from '../../operators/operator.js';
import { semanticOperators } from '../../operators/registry.js';
import { jsonParts, withoutThoughts } from '../../operators/reply-text.js';
import type { JsonValue } from '../../protocol/json.js';

/**
 * Reads what a reply says of each id, by the operator's own output type. An id that is missing, given twice, null or
 * given a value that does not fit has a problem; ids that were not asked for are left aside.
 *
 * @example
 * readBatch('{"answer": {"cqh": false, "wkt": "yes"}}', call, ['wkt', 'cqh']).get('wkt'); // { ok: true, value: true }
 */
export function readBatch(reply: string, call: SemanticCall, ids: readonly string[]): ReadonlyMap<string, Decoded> {
  const text = withoutThoughts(reply) ?? '';
  const wanted = new Set(ids);
  const said = new Map<string, JsonValue[]>();
  for (const part of jsonParts(text)) {
    for (const [id, value] of entriesOf(part, wanted)) said.set(id, [...(said.get(id) ?? []), value]);
  }
  return new Map(ids.map((id) => [id, readOne(said.get(id) ?? [], isTwice(text, id), call)]));
}

function readOne(values: readonly JsonValue[], twice: boolean, call: SemanticCall): Decoded {
  const [value] = values;
  if (value === undefined || value === null) return { ok: false, problem: 'The reply has no answer for the item.' };
  if (values.length > 1 || twice) return { ok: false, problem: 'The reply has several answers for the item.' };
  const decoded = decodeOne(value, call);
  if (decoded.ok || !isObject(value) || value['answer'] === undefined) return decoded;
  return decodeOne(value['answer'], call);
}

function decodeOne(value: JsonValue, call: SemanticCall): Decoded {
  const { decode } = semanticOperators[call.parameters.kind];
  if (call.output.kind !== 'string') return decode(JSON.stringify({ answer: value }), call);
  if (typeof value === 'string' || typeof value === 'number') return decode(String(value), call);
  return { ok: false, problem: 'The answer for the item is not text.' };
}

/** Pairs of id and value, however they are wrapped: in `answer`, bare, or as a list of objects that name their id. */
function entriesOf(part: JsonValue, wanted: ReadonlySet<string>): readonly (readonly [string, JsonValue])[] {
  if (Array.isArray(part)) {
    return (part as readonly JsonValue[]).flatMap((item) => (isObject(item) ? entriesOf(item, wanted) : []));
  }
  if (!isObject(part)) return [];
  const named = idOf(part, wanted);
  if (named !== undefined) return [named];
  const own = Object.entries(part)
    .map(([id, value]) => [foldId(id), value] as const)
    .filter(([id]) => wanted.has(id));
  if (own.length > 0) return own;
  return Object.values(part).flatMap((inner) =>
    typeof inner === 'object' && inner !== null ? entriesOf(inner, wanted) : [],
  );
}

/** `{"id": "wkt", "answer": true}` */
function idOf(object: JsonObject, wanted: ReadonlySet<string>): readonly [string, JsonValue] | undefined {
  const { id, answer } = object;
  if (typeof id !== 'string' || answer === undefined || !wanted.has(foldId(id))) return undefined;
  return [foldId(id), answer];
}

function foldId(id: string): string {
  return id.trim().toLowerCase();
}

/** JSON keeps the last of two values under one key; which one was meant is anyone's guess. */
function isTwice(text: string, id: string): boolean {
  const key = new RegExp(`(?<!\\\\)"\\s*${id}\\s*"\\s*:`, 'gi');
  return (text.match(key)?.length ?? 0) > 1;
}
