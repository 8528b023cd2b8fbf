import { select } from '../algebra/build.js';
import { call, column, type Expression, literal } from '../algebra/expression.js';
import type { Operator } from '../algebra/operator.js';
import { expressionText } from '../algebra/expression-text.js';
import { schemaOf, withInputs } from '../algebra/walk.js';
import type { Attribute } from '../relation/schema.js';
import { classOf } from '../relation/types.js';
import type { Rule } from './rule.js';
import { asYes, boundTo, verdictOf } from './shape.js';

/** What a flag that is stored as text says when it is set. */
const setValues: readonly string[] = ['y', 'yes', 'true', 't', '1'];

/**
 * A structured column that the question names, or a word that must stand in the text, decides before any model is asked,
 * or instead of it: what wins Cars Q1 and Q3 and E-Commerce Q1 (CADENZA §7.2).
 */
export const structuredPrefilter: Rule = {
  name: 'structured-prefilter',
  kind: 'alternative',
  why: 'a structured column or a keyword that the question names filters first, or decides alone',
  matches: ['select'],
  apply: (operator) => {
    const verdict = verdictOf(operator);
    if (verdict === undefined) return [];
    const { apply, question } = verdict;
    return hints(apply.input, question, boundTo(apply, 'text')).flatMap((hint) => {
      if (isFiltered(apply.input, hint)) return [];
      const kept = select(apply.input, hint);
      return [withInputs(verdict.select, [withInputs(apply, [kept])]), asYes(verdict, kept)];
    });
  },
};

function hints(input: Operator, question: string, text: string | undefined): readonly Expression[] {
  const words: readonly string[] = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const named = schemaOf(input).filter(
    ({ name, type }) =>
      (type === 'BOOLEAN' || type === 'VARCHAR') && name !== text && words.includes(name.toLowerCase()),
  );
  const keywords = text === undefined ? [] : keywordsOf(question);
  return [...named.map(isSet), ...(text === undefined || keywords.length === 0 ? [] : [contains(text, keywords)])];
}

function isSet({ name, type }: Attribute): Expression {
  if (classOf(type) === 'boolean') return column(name);
  return {
    kind: 'in',
    item: call('lower', call('to_text', column(name))),
    options: setValues.map((value) => literal(value)),
  };
}

/** Quoted words, and names: capitalised words that do not begin a sentence. */
function keywordsOf(question: string): readonly string[] {
  const quoted = [...question.matchAll(/["“«']([\p{L}\p{N} -]{2,40})["”»']/gu)].map(([, word = '']) => word);
  const names = [...question.matchAll(/(?<=[\p{Ll}\p{N},;:] )\p{Lu}[\p{L}\p{N}]+/gu)].map(([word]) => word);
  return [...new Set([...quoted, ...names].map((word) => word.toLowerCase()))].slice(0, 3);
}

function contains(text: string, keywords: readonly string[]): Expression {
  const items = keywords.map((word) => call('contains', call('lower', column(text)), literal(word)));
  const [first] = items;
  return items.length === 1 && first !== undefined ? first : { kind: 'and', items };
}

function isFiltered(input: Operator, hint: Expression): boolean {
  const text = expressionText(hint);
  let at = input;
  while (at.kind === 'select' || at.kind === 'apply' || at.kind === 'project') {
    if (at.kind === 'select' && expressionText(at.predicate).includes(text)) return true;
    at = at.input;
  }
  return false;
}
