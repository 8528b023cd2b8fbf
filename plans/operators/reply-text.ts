/** Finding JSON in what a model said. */
import { type JsonValue, parseJson } from '../protocol/json.js';

const thought = /^\s*<(think|thinking|reasoning)>[\s\S]*?<\/\1>/i;
const openThought = /^\s*<(think|thinking|reasoning)>/i;
const closing = '</think>';

/**
 * Takes the thoughts of a reasoning model off the front of its reply: a `<think>…</think>` block, or, for servers that
 * put the opening tag into the prompt, all up to a line that is `</think>`. Undefined when the thought never ends.
 */
export function withoutThoughts(text: string): string | undefined {
  let rest = text;
  while (thought.test(rest)) rest = rest.replace(thought, '');
  if (openThought.test(rest)) return undefined;
  const end = rest.lastIndexOf(closing);
  if (end < 0) return rest;
  const before = rest.slice(rest.lastIndexOf('\n', end) + 1, end);
  const after = rest.slice(end + closing.length);
  return before.trim() === '' && /^[ \t]*(\r?\n|$)/.test(after) ? after : rest;
}

/** How many brackets that open no JSON are looked at: bounds the work on a reply that is all brackets. */
const maxMisses = 20;

/** The outermost JSON objects and arrays in a text, in order: the whole text, or those inside prose and code fences. */
export function jsonParts(text: string): readonly JsonValue[] {
  const whole = parseJson(text);
  if (whole.ok) return [whole.value];
  const parts: JsonValue[] = [];
  const opening = /[{[]/g;
  for (let misses = 0; misses < maxMisses; ) {
    const start = opening.exec(text)?.index;
    if (start === undefined) break;
    const end = endOfJson(text, start);
    const parsed = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (parsed?.ok === true && end !== undefined) {
      parts.push(parsed.value);
      opening.lastIndex = end;
    } else {
      misses++;
    }
  }
  return parts;
}

/** Offset behind the bracket that closes the one at `start`; brackets in strings do not count. */
function endOfJson(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') {
      inString = true;
    } else if (char === '{' || char === '[') {
      depth++;
    } else if ((char === '}' || char === ']') && --depth === 0) {
      return at + 1;
    }
  }
  return undefined;
}
