import { findNode, isClass, type SqlNode, texts } from './tree.js';

/** Begins the name of every answer column; the rest is the id of the call. */
export const answerPrefix = '__a_';

/** Whether a node is a reference to the answer of a call. */
export function isAnswerRef(node: SqlNode): boolean {
  return isClass(node, 'COLUMN_REF') && texts(node, 'column_names')[1]?.startsWith(answerPrefix) === true;
}

/** Whether an expression reads the answer of a call. */
export function readsAnswer(value: SqlNode[string] | undefined): boolean {
  return findNode(value, isAnswerRef) !== undefined;
}
