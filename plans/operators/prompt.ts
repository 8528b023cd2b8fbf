/**
 * The layout of a prompt: what is the same for all rows comes first, so that a server's prefix cache serves it; the row's
 * values come last, each once and fenced, so that words in a cell do not read as instructions.
 *
 * ```
 * <question with [1], [2] … where the template has {0}, {1} …>
 *
 * [1]:
 * <data>
 * the value, unchanged
 * </data>
 * ```
 *
 * A value that holds `</data>` gets a fence that it does not hold: `<data1>`, `<data2>` … A template that is nothing but
 * one placeholder gives the value in its fence and no more.
 */
import { FermataError } from '../protocol/errors.js';
import type { MediaRef, PromptPart } from '../protocol/model.js';
import { parseTemplate } from './template.js';

/** The value of one input of a call: the text of a cell, or a reference to its image or audio clip. */
export type PromptInput = string | MediaRef;

/**
 * Puts one tuple's values into a template. Pure: equal arguments give equal parts, and neighbouring texts are one part.
 *
 * @throws `FermataError` `BadArgument` when the template names an input that is not there, or holds a lone brace.
 */
export function renderPrompt(template: string, inputs: readonly PromptInput[]): readonly PromptPart[] {
  const pieces = parseTemplate(template);
  const numbers = new Map<number, number>();
  let question = '';
  for (const piece of pieces) {
    if ('text' in piece) {
      question += piece.text;
      continue;
    }
    const number = numbers.get(piece.input) ?? numbers.size + 1;
    numbers.set(piece.input, number);
    question += `[${number}]`;
  }
  const alone = pieces.length === 1 && numbers.size === 1;
  const parts: PromptPart[] = [];
  let text = alone ? '' : question;
  for (const [index, number] of numbers) {
    const value = inputs[index];
    if (value === undefined) {
      throw new FermataError('BadArgument', `The prompt names {${index}}, but has ${inputs.length} inputs.`);
    }
    if (!alone) text += `${text === '' ? '' : '\n\n'}[${number}]:\n`;
    if (typeof value === 'string') {
      text += fence(value);
    } else {
      if (text !== '') parts.push({ type: 'text', text });
      parts.push(value);
      text = '';
    }
  }
  if (text !== '') parts.push({ type: 'text', text });
  return parts;
}

/** Puts a value between tags of which it does not hold the closing one; what it holds stays as it is. */
function fence(value: string): string {
  const taken = new Set(Array.from(value.matchAll(/<\/data(\d*)/gi), (match) => match[1]));
  let suffix = '';
  for (let n = 1; taken.has(suffix); n++) suffix = String(n);
  return `<data${suffix}>\n${value}\n</data${suffix}>`;
}
