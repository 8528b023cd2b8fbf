import { dateHelperSource } from '../../../../plans/physical/synthesis/date-helpers.js';
import { marks, maxAnswerChars } from '../protocol.js';

/** Globals that stay. Left out are what tells time, chance or memory, and what shares state: no answer may hang on it. */
const kept =
  'Object Error EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError AggregateError ' +
  'Array parseInt parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape ' +
  'unescape Infinity NaN undefined Number Boolean String Math Symbol globalThis RegExp JSON Map Set BigInt';

const deepest = 32;

/**
 * Evaluated in a fresh context before any generated code. Takes away what generated code must not have, adds the helpers for
 * dates, freezes everything that can be reached from the globals, and gives a function that takes the code's source to a
 * function of a row's JSON text.
 */
export const prelude = `(function () {
  'use strict';
  const { parse, stringify } = JSON;
  const { freeze, isFrozen, keys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty } = Object;
  const { ownKeys } = Reflect;
  const isArray = Array.isArray;
  const evaluate = eval;
  const textOf = Function.prototype.call.bind(Function.prototype.toString);
  const kept = new Set(${JSON.stringify(kept)}.split(' '));
  for (const name of ownKeys(globalThis)) if (!kept.has(name)) delete globalThis[name];
  delete Math.random;
  delete Error.prepareStackTrace;
  delete Error.captureStackTrace;
  const helpers = ${dateHelperSource};
  for (const name of keys(helpers)) defineProperty(globalThis, name, { value: helpers[name] });

  const makers = [function () {}, function* () {}, async function () {}, async function* () {}];
  // No code from text: what runs is what was checked.
  for (const made of makers) {
    const prototype = getPrototypeOf(made);
    if (prototype !== null) defineProperty(prototype, 'constructor', { value: undefined });
  }
  // Every object that can be reached holds no state, function objects among them. They are made when first looked at, which
  // is most of what a fresh context costs: the fewer globals, the better.
  function freezeAll(value) {
    if (isFrozen(value)) return;
    freeze(value);
    const names = ownKeys(value);
    for (let at = 0; at < names.length; at++) {
      if (names[at] === 'length' || names[at] === 'name') continue;
      const { value: inner, get, set } = getOwnPropertyDescriptor(value, names[at]);
      if (typeof inner === 'function' || (typeof inner === 'object' && inner !== null)) freezeAll(inner);
      if (get) freezeAll(get);
      if (set) freezeAll(set);
    }
    const prototype = getPrototypeOf(value);
    if (prototype !== null) freezeAll(prototype);
  }
  freezeAll(globalThis);
  const hidden = [...makers, [][Symbol.iterator](), ''[Symbol.iterator](), new Map().entries(), new Set().entries(),
    /x/[Symbol.matchAll]('')];
  for (const value of hidden) freezeAll(value);

  function check(value, depth) {
    if (value === null) return;
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return;
      case 'number':
        if (!isFinite(value)) throw new NotJson(value + ' is no number of JSON');
        return;
      case 'object':
        break;
      default:
        throw new NotJson('a value of type ' + typeof value);
    }
    if (depth > ${deepest}) throw new NotJson('nests deeper than ${deepest} levels');
    if (isArray(value)) {
      if (value.length > ${maxAnswerChars}) throw new TooLarge('a list of ' + value.length);
      for (let at = 0; at < value.length; at++) check(value[at], depth + 1);
      return;
    }
    const prototype = getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw new NotJson('an object of a class');
    for (const key of ownKeys(value)) {
      const own = getOwnPropertyDescriptor(value, key);
      if (typeof key === 'symbol' || own.get || own.set) throw new NotJson('a property that is computed');
      check(own.value, depth + 1);
    }
  }
  class NotJson { constructor(message) { this.message = message; } }
  class TooLarge { constructor(message) { this.message = message; } }
  function said(error) {
    try {
      const text = typeof error === 'object' && error !== null ? error.name + ': ' + error.message : '' + error;
      return text.slice(0, 200);
    } catch {
      return 'an error that cannot be shown';
    }
  }

  return function (source) {
    const code = evaluate('"use strict";(' + source + '\\n)');
    // The text of a function is all of its source: then the source was this one expression and nothing beside it.
    if (typeof code !== 'function' || textOf(code) !== source) return undefined;
    freeze(code);
    if (code.prototype) freeze(code.prototype);
    return function (text) {
      try {
        const answer = code(parse(text));
        check(answer, 0);
        const json = stringify(answer);
        return json.length > ${maxAnswerChars} ? '${marks.tooLarge}an answer of ' + json.length + ' characters' : '${marks.answered}' + json;
      } catch (error) {
        // Memory is the host's to judge.
        if (error instanceof InternalError && error.message === 'out of memory') throw error;
        if (error instanceof NotJson) return '${marks.notJson}' + error.message;
        return error instanceof TooLarge ? '${marks.tooLarge}' + error.message : '${marks.threw}' + said(error);
      }
    };
  };
})()`;
