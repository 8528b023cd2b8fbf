/** Tells semantic calls from everything else in a tree. */
import { fault } from './fault.js';
import { rewrittenFunctions, type SemanticFunction, semanticFunctions, unsupportedFunctions } from './functions.js';
import { nearest } from './nearest.js';
import { child, findNode, isClass, mapNodes, type SqlNode, text } from './tree.js';

const byName = new Map(semanticFunctions.flatMap((fn) => fn.names.map((name) => [name, fn] as const)));
const semanticLooks = /^(?:ai_|ai\.|llm_|nlfilter$|nljoin$)/;

/** The spelled name in lower case, `ai.x` for a call in the schema AI. */
export function spelledName(node: SqlNode): string {
  const name = text(node, 'function_name').toLowerCase();
  return text(node, 'schema').toLowerCase() === 'ai' ? `ai.${name}` : name;
}

/** Whether a node is a call of a semantic function, known or not. */
export function isSemantic(node: SqlNode): boolean {
  return (isClass(node, 'FUNCTION') || isClass(node, 'WINDOW')) && semanticLooks.test(spelledName(node));
}

export function findSemantic(value: Parameters<typeof findNode>[0]): SqlNode | undefined {
  return findNode(value, isSemantic);
}

/** Whether a node is a semantic call that folds rows. */
export function isAggregate(node: SqlNode): boolean {
  return isSemantic(node) && byName.get(spelledName(node))?.folds === true;
}

/** The row of the table for a call that `checkFunctions` has passed. */
export function semanticFunction(node: SqlNode): SemanticFunction {
  const fn = byName.get(spelledName(node));
  if (fn === undefined) throw unknown(node);
  return fn;
}

/** Throws `UnknownFunction` or `UnsupportedSql` for semantic calls that this version has not, or in a form it has not. */
export function checkFunctions(query: SqlNode): void {
  mapNodes(query, (node) => {
    if (isClass(node, 'FUNCTION') && text(node, 'function_name').toLowerCase() === 'prompt') checkPrompt(node, query);
    if (!isSemantic(node)) return undefined;
    const name = spelledName(node);
    const instead = unsupportedFunctions[name.replace('ai.', 'ai_')];
    if (instead !== undefined) throw fault('UnsupportedSql', `${shown(name)} is not supported`, node, instead);
    if (!byName.has(name) && !rewrittenFunctions.has(name)) throw unknown(node);
    if (isClass(node, 'WINDOW')) {
      throw fault('UnsupportedSql', `${shown(name)} is no window function`, node, 'Leave out OVER (…).');
    }
    if (!isAggregate(node) && (node['distinct'] === true || child(node, 'filter') !== undefined)) {
      const hint = 'Put DISTINCT or FILTER on the aggregate around it.';
      throw fault('UnsupportedSql', `${shown(name)} is no aggregate`, node, hint);
    }
    return undefined;
  });
}

/** PROMPT is syntax of the semantic functions, not a function of its own. */
function checkPrompt(prompt: SqlNode, query: SqlNode): void {
  const inside = findNode(
    query,
    (node) => isSemantic(node) && findNode(node['children'], (inner) => inner === prompt) !== undefined,
  );
  if (inside === undefined) {
    throw fault(
      'UnknownFunction',
      'PROMPT stands only inside a semantic function',
      prompt,
      "AI_FILTER(PROMPT('…{0}', a))",
    );
  }
}

function unknown(node: SqlNode): Error {
  const name = spelledName(node);
  const known = [...byName.keys(), ...rewrittenFunctions];
  const bare = name.replace(/^ai[._]/, '');
  const found = [...nearest(name, known), ...nearest(bare, known)];
  const near = [...new Set(found.map(shown))].slice(0, 3);
  const list = ['AI_FILTER', 'AI_CLASSIFY', 'AI_EXTRACT', 'AI_COMPLETE', 'AI_SCORE'].join(', ');
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are ${list}.`;
  return fault('UnknownFunction', `there is no function ${shown(name)}`, node, hint);
}

/** As users write it: semantic functions in capitals. */
export function shown(name: string): string {
  return name.startsWith('ai') ? name.toUpperCase() : name;
}
