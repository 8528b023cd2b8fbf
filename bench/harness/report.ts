/** A benchmark's result: a table for people on stdout, the same as JSON under `bench/results/`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, machine } from './machine.js';

export type Cell = string | number | boolean | undefined;
export type Row = Readonly<Record<string, Cell>>;

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

export interface Report {
  readonly bench: string;
  /** What is not real in it. */
  readonly simulated: string;
  readonly sections: readonly Section[];
}

export function printSection({ title, rows }: Section): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const grid = [columns, ...rows.map((row) => columns.map((column) => text(row[column])))];
  const widths = columns.map((_, at) => Math.max(...grid.map((line) => (line[at] ?? '').length)));
  const lines = grid.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`\n${title}\n${lines.join('\n')}\n`);
}

/** Writes the JSON and says where. */
export function writeReport(report: Report): void {
  const dir = join(process.cwd(), 'bench', 'results');
  mkdirSync(dir, { recursive: true });
  const path = join(dir, `${report.bench}.json`);
  const whole = { ...report, machine: machine(), load: load(), at: new Date().toISOString() };
  writeFileSync(path, `${JSON.stringify(whole, null, 2)}\n`);
  const { cpu, cores, memoryGb, node, versions } = whole.machine;
  process.stdout.write(
    `\n${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}, load ${whole.load}; ` +
      `${Object.entries(versions)
        .map((pair) => pair.join(' '))
        .join(', ')}\n${report.simulated}\n${path}\n`,
  );
}

/** Rounded to `digits` decimals. */
export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

function text(cell: Cell): string {
  return cell === undefined ? '' : String(cell);
}
