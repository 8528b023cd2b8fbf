import type { Label } from '../operators/call.js';
import { fault } from './fault.js';
import { listLiteral, stringLiteral, structLiteral, tupleLiteral } from './literals.js';
import { didYouMean } from './nearest.js';
import type { SqlNode } from './tree.js';

const labelHint = "Labels are a list: ['billing', 'shipping'] or [{label: 'billing', description: 'about money'}].";

/**
 * The labels of AI_CLASSIFY: texts, `{label, description}` structs or `('label', 'description')` tuples, with the
 * descriptions that an option gives on top. Throws `BadArgument` for none, an empty or a repeated one.
 */
export function readLabels(node: SqlNode, descriptions: SqlNode | undefined): readonly Label[] {
  const items = listLiteral(node);
  if (items === undefined) throw fault('BadArgument', 'the labels must be a list of literals', node, labelHint);
  const [first] = items;
  if (first === undefined) throw fault('BadArgument', 'the list of labels is empty', node, labelHint);
  const seen = new Set<string>();
  const labels = items.map((item) => {
    const label = readLabel(item);
    if (label.label.trim() === '') throw fault('BadArgument', 'a label is empty', item, labelHint);
    if (seen.has(label.label)) throw fault('BadArgument', `label '${label.label}' is given twice`, item);
    seen.add(label.label);
    return label;
  });
  return descriptions === undefined ? labels : describeLabels(labels, descriptions);
}

function readLabel(item: SqlNode): Label {
  const plain = stringLiteral(item);
  if (plain !== undefined) return { label: plain };
  const fields = structLiteral(item);
  const parts = fields === undefined ? tupleLiteral(item) : [fieldOf(fields, 'label'), fieldOf(fields, 'description')];
  const label = stringLiteral(parts?.[0]);
  if (label === undefined) throw fault('BadArgument', 'a label must be a text literal', item, labelHint);
  const description = stringLiteral(parts?.[1]);
  return description === undefined ? { label } : { label, description };
}

function fieldOf(fields: readonly (readonly [string, SqlNode])[], name: string): SqlNode | undefined {
  for (const [key, value] of fields) {
    if (key !== 'label' && key !== 'description') {
      throw fault('BadArgument', `a label has no "${key}"`, value, labelHint);
    }
  }
  return fields.find(([key]) => key === name)?.[1];
}

function describeLabels(labels: readonly Label[], node: SqlNode): readonly Label[] {
  const fields = structLiteral(node);
  const hint = "descriptions: {billing: 'about money', shipping: 'about parcels'}";
  if (fields === undefined) throw fault('BadArgument', 'descriptions must be a struct by label', node, hint);
  const byLabel = new Map<string, string>();
  for (const [label, value] of fields) {
    const known = labels.map((item) => item.label);
    if (!known.includes(label)) {
      throw fault('BadArgument', `descriptions name '${label}', which is no label`, value, didYouMean(label, known));
    }
    const description = stringLiteral(value);
    if (description === undefined) throw fault('BadArgument', 'a description must be a text literal', value, hint);
    byLabel.set(label, description);
  }
  return labels.map((item) => {
    const description = byLabel.get(item.label) ?? item.description;
    return description === undefined ? item : { label: item.label, description };
  });
}
