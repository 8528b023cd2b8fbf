import type { Operator } from './operator.js';
import { rowOf } from './operators.js';
import { inputsOf, operatorsOf, readersOf } from './walk.js';

/** Sign and label of an operator: `σ Score >= threshold(0.5)`. */
export function operatorText(operator: Operator): string {
  const { symbol, label } = rowOf(operator);
  return `${symbol} ${label(operator)}`.trim();
}

/**
 * The plan as an indented tree, root first. A part that several operators read is printed once, marked `#1`, and named
 * afterwards.
 */
export function planText(root: Operator): string {
  const readers = readersOf(root);
  const shared = operatorsOf(root).filter((operator) => (readers.get(operator) ?? 0) > 1 && operator.kind !== 'scan');
  const marks = new Map(shared.map((operator, index) => [operator, `#${index + 1}`]));
  const printed = new Set<Operator>();
  const lines: string[] = [];
  const print = (operator: Operator, first: string, rest: string): void => {
    const mark = marks.get(operator);
    if (mark !== undefined && printed.has(operator)) {
      lines.push(`${first}as ${mark}`);
      return;
    }
    printed.add(operator);
    lines.push(`${first}${operatorText(operator)}${mark === undefined ? '' : `  ${mark}`}`);
    const inputs = inputsOf(operator);
    inputs.forEach((input, index) => {
      const last = index === inputs.length - 1;
      print(input, `${rest}${last ? '└─ ' : '├─ '}`, `${rest}${last ? '   ' : '│  '}`);
    });
  };
  print(root, '', '');
  return lines.join('\n');
}
