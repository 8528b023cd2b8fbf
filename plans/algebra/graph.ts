import type { Operator } from './operator.js';
import { operatorText } from './text.js';
import { inputsOf, operatorsOf } from './walk.js';

interface Graph {
  readonly nodes: readonly {
    readonly id: string;
    readonly text: string;
    readonly shape: 'relation' | 'task' | 'relational';
  }[];
  readonly edges: readonly (readonly [string, string])[];
}

/** The DAG as a Mermaid flowchart, data flowing from top to bottom. */
export function planMermaid(root: Operator): string {
  const { nodes, edges } = graphOf(root);
  const brackets = { relation: ['[(', ')]'], task: ['([', '])'], relational: ['[', ']'] } as const;
  return [
    'flowchart TD',
    ...nodes.map(({ id, text, shape }) => `  ${id}${brackets[shape][0]}"${mermaidText(text)}"${brackets[shape][1]}`),
    ...edges.map(([from, to]) => `  ${from} --> ${to}`),
  ].join('\n');
}

/** The DAG for Graphviz. */
export function planDot(root: Operator): string {
  const { nodes, edges } = graphOf(root);
  const shapes = { relation: 'cylinder', task: 'ellipse', relational: 'box' } as const;
  return [
    'digraph plan {',
    ...nodes.map(({ id, text, shape }) => `  ${id} [shape=${shapes[shape]}, label=${dotText(text)}];`),
    ...edges.map(([from, to]) => `  ${from} -> ${to};`),
    '}',
  ].join('\n');
}

function graphOf(root: Operator): Graph {
  const all = operatorsOf(root);
  const ids = new Map(all.map((operator, index) => [operator, `n${index + 1}`]));
  const id = (operator: Operator): string => ids.get(operator) ?? '';
  return {
    nodes: all.map((operator) => ({ id: id(operator), text: operatorText(operator), shape: shapeOf(operator) })),
    edges: all.flatMap((operator) => inputsOf(operator).map((input) => [id(input), id(operator)] as const)),
  };
}

function shapeOf({ kind }: Operator): 'relation' | 'task' | 'relational' {
  if (kind === 'scan') return 'relation';
  return kind === 'apply' ? 'task' : 'relational';
}

/** Texts of users and models stand in labels, so everything that Mermaid or HTML reads is written as a code. */
function mermaidText(text: string): string {
  return short(text).replace(/["#&<>`\\\n\r]/g, (char) => (/[\n\r]/.test(char) ? ' ' : `#${char.charCodeAt(0)};`));
}

function dotText(text: string): string {
  return `"${short(text)
    .replace(/[\\"]/g, (char) => `\\${char}`)
    .replace(/[\n\r]/g, ' ')}"`;
}

function short(text: string): string {
  return text.length <= 160 ? text : `${text.slice(0, 159)}…`;
}
