/** An answer with its explanation is a struct: it decides nothing, and compares with nothing. */
import { fault } from './fault.js';
import { shown, spelledName } from './recognise.js';
import { child, isClass, isNode, nodes, type SqlNode, text } from './tree.js';

const deciding = new Set(['OPERATOR_NOT', 'COMPARE_IN', 'COMPARE_NOT_IN']);

/** The parts of an expression that must be a truth value or be compared; DuckDB would fail on a struct once it runs. */
export function operands(node: SqlNode): readonly SqlNode[] {
  if (isClass(node, 'CASE')) return nodes(node, 'case_checks').flatMap((check) => childrenOf(check, ['when_expr']));
  if (isClass(node, 'COMPARISON')) return childrenOf(node, ['left', 'right']);
  if (isClass(node, 'BETWEEN')) return childrenOf(node, ['input', 'lower', 'upper']);
  if (isClass(node, 'CAST')) return holdsText(node) ? [] : childrenOf(node, ['child']);
  if (isClass(node, 'FUNCTION')) return childrenOf(node, ['filter']);
  return isClass(node, 'CONJUNCTION') || deciding.has(text(node, 'type')) ? nodes(node, 'children') : [];
}

/** A struct has a form as text and as another struct, and as nothing else. */
function holdsText(cast: SqlNode): boolean {
  const target = child(cast, 'cast_type')?.['id'];
  return target === 'VARCHAR' || target === 'STRUCT' || target === 'UNBOUND';
}

function childrenOf(node: SqlNode, keys: readonly string[]): readonly SqlNode[] {
  return keys.map((key) => node[key]).filter(isNode);
}

/** The error for such a call. */
export function explainedCondition(call: SqlNode): Error {
  const name = shown(spelledName(call));
  const hint = `Put it in the select list, or read its answer: ${name}(…, {explain: true}).answer.`;
  return fault('BadArgument', `${name} with explain is no condition`, call, hint);
}
