/** The results of a scenario as one HTML page: quality by cost, utilities by weights, every entry. */
import { type Html, html } from '../../cli/html/html.js';
import { page, type Section as PageSection } from '../../cli/html/page.js';
import { scatter } from '../../cli/html/scatter.js';
import { table } from '../../cli/html/table.js';
import type { Cell, Row, Section } from '../harness/report.js';
import type { Manifest } from './manifest.js';
import type { Entry } from './record.js';
import { sweep, type Swept, type SweptWeight, sweptWeights } from './sweep.js';

const weights = Object.keys(sweptWeights) as readonly SweptWeight[];

export interface Results {
  readonly manifest: Manifest;
  readonly simulated: string;
  readonly entries: readonly Entry[];
  /** Tables of the report. */
  readonly sections: readonly Section[];
}

export function resultsPage({ manifest, simulated, entries, sections }: Results): string {
  const { scenario, rows, machine, hash } = manifest;
  const swept = sweep(entries);
  const head = html`<p>${rows} rows, ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, Fermata ${machine.versions['fermata'] ?? ''}; manifest ${hash}</p>
<p class="warn">${simulated}</p>`;
  const pages: readonly PageSection[] = [
    { title: 'Quality by cost', body: html`${qualityByCost(entries)}${keys}` },
    {
      title: 'Mean utility by weights (w_q, w_l, w_c)',
      body: html`<p class="dim">As in CADENZA, Appendix D: latency and cost by min–max within each query, searches counted, queries without an answer 0.</p>${bars(swept)}`,
    },
    ...sections.map(({ title, rows: own }) => ({ title, body: grid(own) })),
  ];
  return page(`SemBench ${scenario}, simulated models`, head, pages, simulated, { manifest, entries });
}

const keys = html`<p class="dim"><i class="key chosen"></i>routed plans <i class="key direct"></i>sim-strong asked directly; a mark is one query in one system, searches not counted</p>`;

/** What costs nothing stands where a hundredth of a cent would. */
const leastUsd = 1e-4;

function qualityByCost(entries: readonly Entry[]): Html {
  const points = entries.flatMap((entry) => {
    if (entry.status !== 'ok') return [];
    const { query, system, quality, use } = entry;
    const mark = system.startsWith('routed')
      ? ({ mark: 'chosen' } as const)
      : system === 'direct'
        ? ({ mark: 'direct' } as const)
        : {};
    const title = `${query} ${system}: quality ${quality.toFixed(3)}, ${use.usd.toPrecision(3)} USD, ${use.calls} calls`;
    return [{ x: Math.log10(Math.max(leastUsd, use.usd)), y: quality, title, ...mark }];
  });
  if (points.length === 0) return html`<p>nothing was measured</p>`;
  const axes = { title: 'Quality by cost', x: 'USD of the pool, as a power of ten', y: 'quality' };
  return scatter({ ...axes, points, line: { of: [], shape: 'straight' } });
}

function bars(swept: readonly Swept[]): Html {
  const all = swept.flatMap(({ utilities }) => Object.values(utilities));
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all, 1e-9)];
  return table(
    [
      { title: 'system', cell: ({ system }) => system },
      { title: 'answered', align: 'right', cell: ({ answered }) => String(answered) },
      ...weights.map((name) => {
        const { quality, latency, cost } = sweptWeights[name];
        return {
          title: `${name} (${quality}, ${latency}, ${cost})`,
          cell: ({ utilities }: Swept) => html`${bar(utilities[name], low, high)} ${utilities[name].toFixed(3)}`,
        };
      }),
    ],
    swept,
  );
}

/** From the zero of the scale to the value. */
function bar(value: number, low: number, high: number): Html {
  const place = (at: number): number => (100 * (at - low)) / (high - low);
  const [from, to] = [place(Math.min(0, value)), place(Math.max(0, value))];
  return html`<svg viewBox="0 0 100 10" width="100" height="10" aria-hidden="true"><rect class="${value < 0 ? 'bad' : 'asked'}" x="${from.toFixed(1)}" width="${(to - from).toFixed(1)}" height="10"/></svg>`;
}

function grid(rows: readonly Row[]): Html {
  return table(
    columnsOf(rows).map((title) => ({ title, cell: (row: Row) => cellText(row[title]) })),
    rows,
  );
}

/** The tables of a report as Markdown. */
export function markdown({ simulated, sections }: Pick<Results, 'simulated' | 'sections'>): string {
  const parts = sections.map(({ title, rows }) => {
    const columns = columnsOf(rows);
    const line = (cells: readonly string[]): string =>
      `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`;
    const body = rows.map((row) => line(columns.map((column) => cellText(row[column]))));
    return [`## ${title}`, '', line(columns), line(columns.map(() => '---')), ...body, ''].join('\n');
  });
  return [`**${simulated}**`, '', ...parts].join('\n');
}

function columnsOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

const cellText = (cell: Cell): string => (cell === undefined ? '' : String(cell));
