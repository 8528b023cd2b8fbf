/** An in-memory `Fermata`: runs whose progress, result and failure a test scripts. */
import { writeFileSync } from 'node:fs';
import { type RecordBatch, type Table, tableToIPC } from 'apache-arrow';
import type { Drafts } from '../../plans/protocol/drafting.js';
import type { PlacementComparison } from '../../plans/protocol/comparison.js';
import type {
  DraftOptions,
  Fermata,
  Optimization,
  OptimizeOptions,
  RowError,
  Run,
  RunDescription,
  RunOptions,
} from '../../client/api.js';
import type { Estimate, RunBudget, RunProgress, RunResult, RunStatus, RunSummary } from '../../plans/protocol/run.js';
import type { SearchResult, SearchStatus, TriedPlan } from '../../plans/protocol/search.js';
import { openTable } from '../../client/relation/open-table.js';

export interface FakeRunScript {
  readonly table: Table;
  readonly result?: Partial<RunResult>;
  readonly errors?: readonly RowError[];
  readonly progress?: readonly RunProgress[];
  readonly description?: RunDescription;
  readonly summary?: Partial<RunSummary>;
  /** The run fails with this. */
  readonly failure?: Error;
  /** What a search ends with. */
  readonly search?: SearchResult;
  readonly searchStatus?: SearchStatus;
  readonly tried?: readonly TriedPlan[];
  /** The run does not end before this resolves. */
  readonly until?: Promise<void>;
}

export interface FakeFermata extends Fermata {
  readonly started: { readonly sql: string; readonly options: RunOptions }[];
  readonly optimized: { readonly sql: string; readonly options: OptimizeOptions }[];
  readonly estimated: string[];
  readonly drafted: DraftOptions[];
  /** Control calls, e.g. `cancel` or `pause why`. */
  readonly told: string[];
  readonly budgets: RunBudget[];
  closed: boolean;
}

export const noSpend: RunResult['spend'] = {
  calls: 0,
  answered: 0,
  cached: 0,
  retries: 0,
  failed: 0,
  inputTokens: 0,
  outputTokens: 0,
  usd: 0,
  unpriced: 0,
  savedUsd: 0,
};

const zero = { low: 0, expected: 0, high: 0 };
export const noEstimate: Estimate = { calls: [], total: { calls: zero, tokens: zero, usd: zero } };

export function fakeResult(table: Table, change: Partial<RunResult> = {}): RunResult {
  return {
    v: 1,
    runId: 'run-1',
    stop: 'complete',
    rows: {
      object: 'rows',
      count: table.numRows,
      columns: table.schema.fields.map((field) => ({ name: field.name, type: String(field.type) })),
    },
    errors: { object: 'errors', count: 0, ratio: 0 },
    undecided: 0,
    operators: [],
    spend: noSpend,
    ms: 1000,
    ...change,
  };
}

/** `scripts` are used one a started run, the last one again and again. */
export function fakeFermata(
  scripts: readonly FakeRunScript[],
  options: {
    readonly estimate?: Estimate;
    readonly drafts?: Drafts;
    readonly comparison?: PlacementComparison;
    readonly runs?: readonly RunSummary[];
    readonly rowsPath?: string;
  } = {},
): FakeFermata {
  const told: string[] = [];
  const budgets: RunBudget[] = [];
  let next = 0;

  function fakeRun(id: string, script: FakeRunScript): Run {
    const result = async (signal?: AbortSignal): Promise<RunResult> => {
      if (script.until) {
        const aborted = new Promise<never>((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        );
        await Promise.race([script.until, aborted]);
      }
      if (script.failure) throw script.failure;
      return fakeResult(script.table, { runId: id, ...script.result });
    };
    return {
      id,
      status: () => Promise.reject<RunStatus>(new Error('not scripted')),
      progress: () => Promise.resolve(script.progress?.at(-1)),
      description: () => Promise.resolve(script.description),
      summary: () => Promise.resolve({ runId: id, state: 'done', sql: 'SELECT 1', startedAt: 0, ...script.summary }),
      async *watch(): AsyncGenerator<RunProgress> {
        for (const record of script.progress ?? []) {
          await Promise.resolve();
          yield record;
        }
      },
      result,
      async *stream(): AsyncGenerator<RecordBatch> {
        for (const batch of script.table.batches) {
          await Promise.resolve();
          yield batch;
        }
      },
      rows: () => Promise.resolve([]),
      toArrow: () => Promise.resolve(script.table),
      errors: () => Promise.resolve(script.errors ?? []),
      pause: (reason) => tell(`pause ${reason ?? ''}`),
      resume: () => tell('resume'),
      setBudget: (budget) => {
        budgets.push(budget);
        return tell('setBudget');
      },
      cancel: () => tell('cancel'),
      rowsFile: () => {
        const path = options.rowsPath ?? '';
        writeFileSync(path, tableToIPC(script.table, 'stream'));
        return Promise.resolve(path);
      },
    };
  }

  function fakeSearch(id: string, script: FakeRunScript): Optimization {
    return {
      ...fakeRun(id, script),
      status: () =>
        script.searchStatus ? Promise.resolve(script.searchStatus) : Promise.reject(new Error('not scripted')),
      tried: () => Promise.resolve(script.tried ?? []),
      result: () => {
        if (script.failure) return Promise.reject(script.failure);
        return script.search ? Promise.resolve(script.search) : Promise.reject(new Error('not scripted'));
      },
      plan: () => Promise.resolve('{"version":1}\n'),
      accept: () => tell('accept'),
    };
  }

  function tell(text: string): Promise<void> {
    told.push(text);
    return Promise.resolve();
  }

  const fake: FakeFermata = {
    started: [],
    optimized: [],
    estimated: [],
    drafted: [],
    told,
    budgets,
    closed: false,
    sql(sql, runOptions = {}) {
      fake.started.push({ sql, options: runOptions });
      const script = scripts[Math.min(next, scripts.length - 1)]!;
      next += 1;
      return Promise.resolve(fakeRun(`run-${next}`, script));
    },
    estimate(sql) {
      fake.estimated.push(sql);
      return Promise.resolve(options.estimate ?? noEstimate);
    },
    compare() {
      return Promise.resolve(options.comparison ?? { v: 1, placements: [] });
    },
    draft(_, given) {
      fake.drafted.push(given);
      const { model } = given;
      return Promise.resolve(
        options.drafts ?? { v: 1, model, identity: model, attempts: [], exchanges: [], spend: noSpend },
      );
    },
    table: (name, source) => openTable(fake, name, source),
    run: (id) => fakeRun(id, scripts[0]!),
    optimize(sql, given = {}) {
      fake.optimized.push({ sql, options: given });
      next += 1;
      return Promise.resolve(fakeSearch('o-1', scripts[Math.min(next, scripts.length) - 1]!));
    },
    optimization: (id) => fakeSearch(id, scripts[0]!),
    async *runs(limit = 50) {
      for (const summary of (options.runs ?? []).slice(0, limit)) {
        await Promise.resolve();
        yield summary;
      }
    },
    close() {
      fake.closed = true;
      return Promise.resolve();
    },
  };
  return fake;
}
