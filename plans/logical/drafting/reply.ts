import { isFields } from '../../algebra/verify/draft.js';
import { type JsonValue, parseJson } from '../../protocol/json.js';

/** Longest answer that is read, in UTF-16 units, and most places in it where a plan may begin. */
const limits = { characters: 200_000, starts: 50 } as const;

export type DraftReply =
  | { readonly ok: true; readonly json: JsonValue }
  | { readonly ok: false; readonly reason: string };

/**
 * The plan in a model's answer: the first JSON object with `nodes`, whatever stands around it. Never throws.
 *
 * @example readReply('Here it is:\n```json\n{"nodes": […], "output": "n3"}\n```')
 */
export function readReply(text: string): DraftReply {
  if (text.trim() === '') return { ok: false, reason: 'the answer is empty' };
  if (text.length > limits.characters)
    return { ok: false, reason: `the answer has more than ${limits.characters} characters` };
  let open = false;
  let at = text.indexOf('{');
  for (let start = 0; at >= 0 && start < limits.starts; start += 1) {
    const end = endOfObject(text, at);
    if (end === undefined) {
      open = true;
      at = text.indexOf('{', at + 1);
      continue;
    }
    const parsed = parseJson(text.slice(at, end));
    if (parsed.ok && isFields(parsed.value) && 'nodes' in parsed.value) return { ok: true, json: parsed.value };
    // the plan may stand inside of an object that is none, or one that is no JSON
    at = text.indexOf('{', at + 1);
  }
  return { ok: false, reason: open ? 'the JSON object is cut off' : 'there is no JSON object with "nodes" in it' };
}

/** Where the object that begins at `start` ends; undefined when it does not. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
