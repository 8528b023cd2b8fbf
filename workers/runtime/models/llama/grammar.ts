/**
 * GBNF grammars of answers: what follows `{"answer":` in a reply, with one space where the usual JSON style has one and
 * none elsewhere, so that a model spends no tokens on white space.
 */
import type { OutputType } from '../../../../plans/operators/output.js';

/** The reply up to where the grammar begins; given to the model as the start of its own words. */
export const replyStart = '{"answer":';
/** What ends the reply after the value. */
export const replyEnd = '}';

const literal = (text: string): string => JSON.stringify(text);
/** A JSON string literal as a GBNF terminal. */
const jsonLiteral = (text: string): string => literal(JSON.stringify(text));

const shared: Readonly<Record<string, string>> = {
  boolean: '"true" | "false"',
  integer: '"-"? ("0" | [1-9] [0-9]{0,14})',
  string: '"\\"" character* "\\""',
  character: '[^"\\\\\\x00-\\x1F\\x7F] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})',
  date: '"\\"" [0-9]{4} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | [12] [0-9] | "3" [01]) "\\""',
};

/** Rules that a shared rule refers to. */
const needs: Readonly<Record<string, readonly string[]>> = { string: ['character'] };

function numberRule(min: number | undefined, max: number | undefined): string {
  const digits = Math.max(digitsOf(min), digitsOf(max)) || 15;
  const sign = min !== undefined && min >= 0 ? '' : '"-"? ';
  return `${sign}("0" | [1-9] [0-9]{0,${digits - 1}}) ("." [0-9]{1,4})?`;
}

/** Digits before the point; 0 when there is no bound. */
function digitsOf(bound: number | undefined): number {
  return bound === undefined ? 0 : String(Math.trunc(Math.abs(bound))).length;
}

/** The grammar of the value of `answer`; undefined for free text, which needs none. */
export function answerGrammar(output: OutputType): string | undefined {
  if (output.kind === 'string') return undefined;
  const rules = new Map<string, string>();
  const use = (name: string): string => {
    const body = shared[name];
    if (body !== undefined && !rules.has(name)) {
      rules.set(name, body);
      for (const needed of needs[name] ?? []) use(needed);
    }
    return name;
  };
  const define = (body: string): string => {
    const name = `r${rules.size}`;
    rules.set(name, body);
    return name;
  };
  const rule = (type: OutputType): string => {
    switch (type.kind) {
      case 'boolean':
      case 'integer':
      case 'string':
      case 'date':
        return use(type.kind);
      case 'number':
        return define(numberRule(type.min, type.max));
      case 'enum':
        return define(type.values.map(jsonLiteral).join(' | '));
      case 'vector':
        return rule({ kind: 'list', item: { kind: 'number' } });
      case 'list': {
        const item = rule(type.item);
        return define(`"[" (${item} (", " ${item})*)? "]"`);
      }
      case 'struct': {
        const fields = type.fields.map(
          ({ name, type, required }) =>
            `${literal(`${JSON.stringify(name)}: `)} ${required === true ? ruleOnce(type) : `(${rule(type)} | "null")`}`,
        );
        return define(['"{"', fields.join(' ", " '), '"}"'].filter((part) => part !== '').join(' '));
      }
    }
  };
  const once = new Map<OutputType, string>();
  const ruleOnce = (type: OutputType): string => {
    const known = once.get(type) ?? rule(type);
    once.set(type, known);
    return known;
  };
  const value = rule(output);
  return [`root ::= " " ${value}`, ...Array.from(rules, ([name, body]) => `${name} ::= ${body}`)].join('\n');
}

/** The values, as JSON text, that an answer can have, where they are few enough to list. */
export function answerChoices(output: OutputType): readonly string[] | undefined {
  if (output.kind === 'boolean') return ['true', 'false'];
  return output.kind === 'enum' ? output.values.map((value) => JSON.stringify(value)) : undefined;
}

/**
 * The whole value when `written` settles it: the only choice that begins so, or JSON that closes itself. Undefined while
 * the model must go on.
 */
export function settledValue(written: string, choices: readonly string[] | undefined): string | undefined {
  const value = written.trimStart();
  if (choices !== undefined) {
    const left = choices.filter((choice) => choice.startsWith(value));
    return value !== '' && left.length === 1 ? left[0] : undefined;
  }
  const end = value.at(-1);
  if (end !== '}' && end !== ']' && end !== '"') return undefined;
  return isWhole(value) ? value : undefined;
}

/** Whether brackets and quotes of a JSON prefix are all closed. */
function isWhole(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '{' || char === '[')) depth++;
    else if (!quoted && (char === '}' || char === ']')) depth--;
  }
  return depth === 0 && !quoted;
}
