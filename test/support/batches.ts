/** Reads the prompts of batches as a model would. */
import type { JsonValue } from '../../plans/protocol/json.js';

export interface Item {
  readonly id: string;
  /** Value of its only input. */
  readonly text: string;
}

/** The items of a batch; none for a prompt of one tuple. */
export function itemsIn(prompt: string): readonly Item[] {
  return Array.from(
    prompt.matchAll(/^Item ([a-z]+)\n(?:\[1\]:\n)?<data>\n([\s\S]*?)\n<\/data>/gm),
    ([, id = '', text = '']) => ({ id, text }),
  );
}

/** The reply that a batch asks for. */
export function batchReply(entries: readonly (readonly [string, JsonValue])[]): string {
  return JSON.stringify({ answer: Object.fromEntries(entries) });
}
