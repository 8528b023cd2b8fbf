/** The queries in SWAN-AISQL (PyPI `swan-aisql`), a DuckDB extension: its own optimizer at its defaults, the same pool. */
import { runPeer } from '../peers/home.js';
import type { Pool } from '../pool/start.js';

export interface PeerRan {
  readonly seconds: number;
  readonly rows: readonly (readonly unknown[])[];
  readonly calls: number;
  readonly usd: number;
}

const limitMs = 300_000;
const [model, embedder] = ['sim-strong', 'sim-embed'];

/**
 * A query of ours in its words: a prompt with columns in braces is a concatenation there, and the description of a
 * classification stands in front of its input.
 */
export function swanSql(sql: string): string {
  return sql
    .replace(/AI_(FILTER|SCORE)\('([^']*)'\)/g, (_, name: string, prompt: string) => `ai_${name}(${concat(prompt)})`)
    .replace(/AI_CLASSIFY\(([^,]+), (\[[^\]]*\]), \{task_description: '([^']*)'\}\)/g, "ai_classify('$3: ' || $1, $2)");
}

function concat(prompt: string): string {
  const parts = prompt.split(/\{([^}]*)\}/).map((part, at) => (at % 2 === 1 ? part : part === '' ? '' : `'${part}'`));
  return parts.filter((part) => part !== '').join(' || ');
}

/** @throws Error with a line that says why it did not run */
export async function runSwan(sql: string, tables: Readonly<Record<string, string>>, pool: Pool): Promise<PeerRan> {
  const files = Object.entries(tables).map(([name, file]) => `${name}=${file}`);
  pool.resetCounts();
  const line = await runPeer('swan', 'swan_query.py', [pool.url, model, embedder, swanSql(sql), ...files], limitMs);
  const used = JSON.parse(line) as Pick<PeerRan, 'seconds' | 'rows'>;
  const asked = pool.counts()[model];
  return { ...used, calls: asked?.calls ?? 0, usd: asked?.usd ?? 0 };
}
