import { findSemantic, isSemantic, spelledName } from './recognise.js';
import type { SqlParser } from './ports.js';
import { formerName } from './similarity.js';
import { columnRef, mapNodes, noTable, selectNode, type SqlNode, text } from './tree.js';

/**
 * Aliases for select items that hold a semantic call and have none: the function's name, or the expression with its calls
 * shortened to their names; numbered when that name is taken.
 */
export async function nameItems(
  items: readonly SqlNode[],
  taken: readonly string[],
  parser: SqlParser,
): Promise<readonly string[]> {
  const used = new Set([...taken, ...items.map((item) => text(item, 'alias'))].map((name) => name.toLowerCase()));
  const names: string[] = [];
  for (const item of items) {
    if (text(item, 'alias') !== '' || findSemantic(item) === undefined) {
      names.push(text(item, 'alias'));
      continue;
    }
    const wanted = functionName(item) || (await expressionName(item, parser));
    let name = wanted;
    for (let i = 2; used.has(name.toLowerCase()); i++) name = `${wanted}_${i}`;
    used.add(name.toLowerCase());
    names.push(name);
  }
  return names;
}

/** Of a semantic call; empty for any other expression. */
function functionName(node: SqlNode): string {
  return isSemantic(node) ? spelledName(node).replace('ai.', 'ai_') : formerName(node);
}

async function expressionName(item: SqlNode, parser: SqlParser): Promise<string> {
  const short = mapNodes(item, (node) => {
    const name = functionName(node);
    return name === '' ? undefined : columnRef([name], text(node, 'alias'));
  });
  return expressionSql(short, parser);
}

/** SQL text of one expression. */
export async function expressionSql(expression: SqlNode, parser: SqlParser): Promise<string> {
  const sql = await parser.deserialize(selectNode({ select: [{ ...expression, alias: '' }], from: noTable }));
  return sql.replace(/^SELECT /, '');
}
