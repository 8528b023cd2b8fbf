import { isAnswerRef } from './answers.js';
import { fault } from './fault.js';
import type { InputDraft } from './prompt.js';
import { lambdaParameters, type ResolvedColumn, resolveColumn, type Scope, sourceRef, unknownColumn } from './scope.js';
import { isClass, mapNodes, type SqlNode, texts } from './tree.js';

/**
 * Binds the columns of a call's input: every reference becomes `alias.column`, so that two spellings are one input.
 * Throws `UnknownColumn`, and `TypeMismatch` for media inside an expression or bytes used as text.
 */
export function bindInput(expression: SqlNode, scope: Scope): Pick<InputDraft, 'node' | 'modality'> {
  const hidden = new Set(lambdaParameters(expression));
  const direct = isClass(expression, 'COLUMN_REF');
  let modality: InputDraft['modality'] = 'text';
  const node = mapNodes(expression, (inner) => {
    const parts = isClass(inner, 'COLUMN_REF') ? texts(inner, 'column_names') : [];
    if (parts.length === 0 || isAnswerRef(inner) || hidden.has(parts[0]?.toLowerCase() ?? '')) return undefined;
    const found = resolveColumn(scope, parts);
    if (found === undefined) throw unknownColumn(scope, parts.join('.'), inner, quoteHint(parts));
    modality = inputModality(found, direct, inner) ?? modality;
    return { ...inner, ...sourceRef(scope, found.column.name, found.fields), alias: inner['alias'] ?? '' };
  });
  return { node, modality };
}

function inputModality(
  { column, fields }: ResolvedColumn,
  direct: boolean,
  at: SqlNode,
): 'image' | 'audio' | undefined {
  const { modality, name, type } = column;
  if (modality !== undefined && !(direct && fields.length === 0)) {
    const hint = `Name the column alone, as {${name}} or as an argument of PROMPT.`;
    throw fault('TypeMismatch', `${modality} column "${name}" cannot be part of an expression`, at, hint);
  }
  if (modality === undefined && type === 'BLOB' && direct) {
    const hint = `Declare it with --image ${name} or --audio ${name}.`;
    throw fault('TypeMismatch', `column "${name}" holds bytes, not text`, at, hint);
  }
  return modality;
}

function quoteHint(parts: readonly string[]): string {
  return parts.length === 1 && /\s/.test(parts[0] ?? '') ? "Text takes single quotes: 'like this'." : '';
}
