/** Which columns and relations of a join an expression reads. */
import { nameParts, placeholderNames } from './placeholders.js';
import { isSemantic } from './recognise.js';
import { lambdaParameters, resolveColumn, type Scope } from './scope.js';
import { isClass, mapNodes, type SqlNode, texts } from './tree.js';

/** Relations whose columns an expression, or a placeholder of its prompts, reads; a merged column counts as all of them. */
export function relationsRead(expression: SqlNode, scope: Scope): ReadonlySet<string> {
  const read = new Set<string>();
  const hidden = new Set(lambdaParameters(expression));
  for (const parts of namesRead(expression, scope)) {
    if (parts.length === 1 && hidden.has(parts[0]?.toLowerCase() ?? '')) continue;
    const found = resolveColumn(scope, parts);
    const holders = (scope.relations ?? []).filter(({ columns }) =>
      [...columns.values()].some((held) => held === found?.column.name),
    );
    const all = found === undefined || holders.length === 0 ? (scope.relations ?? []) : holders;
    for (const { alias } of all) read.add(alias);
  }
  return read;
}

/** Dotted names of columns in an expression and in the placeholders of its prompts. */
export function namesRead(expression: SqlNode, scope: Scope): readonly (readonly string[])[] {
  const names: (readonly string[])[] = [];
  const visit = (value: SqlNode, inCall: boolean): void => {
    mapNodes(value, (node) => {
      if (isClass(node, 'COLUMN_REF')) names.push(texts(node, 'column_names'));
      if (inCall) names.push(...placeholderNames(node).map((name) => dotted(name, scope)));
      if (inCall || !isSemantic(node)) return undefined;
      visit({ children: node['children'] ?? [] }, true);
      // of an aggregate
      visit({ filter: node['filter'] ?? null, order: node['order_bys'] ?? null }, false);
      return node;
    });
  };
  visit(expression, false);
  return names;
}

/** A placeholder is the name of a column as it stands before its dots mean anything. */
function dotted(name: string, scope: Scope): readonly string[] {
  return resolveColumn(scope, [name]) === undefined ? nameParts(name) : [name];
}
