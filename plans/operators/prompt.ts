/**
 * The layout of a prompt: the instruction, the same for all rows, is the system message, where prefix caches serve it. Then
 * come the row's values, each once and fenced, so that words in a cell do not read as instructions; the question has the
 * last word: with the question first, a model of 0.5B parameters gave all rows the same answer.
 *
 * ```
 * [1]:
 * <data>
 * the value, unchanged
 * </data>
 *
 * <question with [1], [2] … where the template has {0}, {1} …>
 * ```
 *
 * A value that holds `</data>` gets a fence that it does not hold: `<data1>`, `<data2>` … A template that is nothing but
 * one placeholder has an empty question, and its value goes without a number.
 */
import { FermataError } from '../protocol/errors.js';
import type { MediaRef, PromptPart } from '../protocol/model.js';
import { parseTemplate } from './template.js';

/** The value of one input of a call: the text of a cell, or a reference to its image or audio clip. */
export type PromptInput = string | MediaRef;

/**
 * Puts one tuple's values into a template. Pure: equal arguments give equal parts, and neighbouring texts are one part.
 * `ask` words the question that comes last, e.g. with what to reply.
 *
 * @throws `FermataError` `BadArgument` when the template names an input that is not there, or holds a lone brace.
 */
export function renderPrompt(
  template: string,
  inputs: readonly PromptInput[],
  ask: (question: string) => string = (question) => question,
): readonly PromptPart[] {
  const { question, order } = numberInputs(template);
  const parts: PromptPart[] = [];
  let text = '';
  for (const [at, index] of order.entries()) {
    const value = inputs[index];
    if (value === undefined) {
      throw new FermataError('BadArgument', `The prompt names {${index}}, but has ${inputs.length} inputs.`);
    }
    if (question !== '') text += `[${at + 1}]:\n`;
    if (typeof value === 'string') {
      text += `${fence(value)}\n\n`;
    } else {
      if (text !== '') parts.push({ type: 'text', text });
      parts.push(value);
      text = '';
    }
  }
  text = (text + ask(question)).trimEnd();
  if (text !== '') parts.push({ type: 'text', text });
  return parts;
}

/**
 * Several tuples of text in one prompt, each under its id, and the question once behind them. Pure like `renderPrompt`.
 *
 * ```
 * Item k7f
 * [1]:
 * <data>
 * the value, unchanged
 * </data>
 * ```
 */
export function renderBatch(
  template: string,
  tuples: readonly { readonly id: string; readonly values: readonly string[] }[],
  ask: (question: string) => string,
): readonly PromptPart[] {
  const { question, order } = numberInputs(template);
  const items = tuples.map(({ id, values }) => {
    const inputs = order.map((index, at) => {
      const value = values[index];
      if (value === undefined) {
        throw new FermataError('BadArgument', `The prompt names {${index}}, but has ${values.length} inputs.`);
      }
      return question === '' ? fence(value) : `[${at + 1}]:\n${fence(value)}`;
    });
    return [`Item ${id}`, ...inputs].join('\n');
  });
  return [{ type: 'text', text: `${items.join('\n\n')}\n\n${ask(question)}`.trimEnd() }];
}

interface Numbered {
  readonly question: string;
  readonly order: readonly number[];
}

/** The template of the latest prompt: rows are rendered call by call. */
let latest: { readonly template: string; readonly numbered: Numbered } | undefined;

/** The question of a template with its inputs numbered; pure. */
export function numberInputs(template: string): Numbered {
  if (latest?.template !== template) latest = { template, numbered: parseNumbered(template) };
  return latest.numbered;
}

/** The question, with inputs numbered in the order in which it names them; empty when it is one input and no word. */
function parseNumbered(template: string): Numbered {
  const pieces = parseTemplate(template);
  const order: number[] = [];
  let question = '';
  for (const piece of pieces) {
    if ('text' in piece) {
      question += piece.text;
      continue;
    }
    if (!order.includes(piece.input)) order.push(piece.input);
    question += `[${order.indexOf(piece.input) + 1}]`;
  }
  return { question: pieces.length === 1 && order.length === 1 ? '' : question, order };
}

/** Puts a value between tags of which it does not hold the closing one; what it holds stays as it is. */
export function fence(value: string): string {
  if (!value.includes('</')) return `<data>\n${value}\n</data>`;
  const taken = new Set(Array.from(value.matchAll(/<\/data(\d*)/gi), (match) => match[1]));
  let suffix = '';
  for (let n = 1; taken.has(suffix); n++) suffix = String(n);
  return `<data${suffix}>\n${value}\n</data${suffix}>`;
}
