/** Several items in one prompt: the text of each, numbered and fenced, so that words in one do not read as instructions. */
import { fence } from './prompt.js';
import type { SemanticCall } from './call.js';
import { parseTemplate } from './template.js';

/** `[1]:` and the first item, `[2]:` and the second … */
export function renderItems(items: readonly string[], first = 1): string {
  return items.map((item, at) => `[${at + first}]:\n${fence(item)}`).join('\n\n');
}

/** One tuple of a call as an item: its template with the values in their places. */
export function itemText({ template }: Pick<SemanticCall, 'template'>, values: readonly string[]): string {
  return parseTemplate(template)
    .map((piece) => ('text' in piece ? piece.text : (values[piece.input] ?? '')))
    .join('');
}

/** One tuple of a call without the words of its prompt: the value, or each value with the name of its column. */
export function dataText({ inputs }: Pick<SemanticCall, 'inputs'>, values: readonly string[]): string {
  const [only = ''] = values;
  if (inputs.length === 1) return only;
  return inputs.map(({ label }, at) => `${label}: ${values[at] ?? ''}`).join('\n');
}

/** The words of a prompt with the names of its columns where their values would stand: what items are compared by. */
export function criterionText({ template, inputs }: Pick<SemanticCall, 'template' | 'inputs'>): string {
  return parseTemplate(template)
    .map((piece) => ('text' in piece ? piece.text : `[${inputs[piece.input]?.label ?? 'data'}]`))
    .join('')
    .trim();
}
