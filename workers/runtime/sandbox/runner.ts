import type { CodeRunner } from '../../../activities/code-port.js';
import { readReturned } from '../../../plans/physical/synthesis/answer.js';
import { codeFaults, type CodeFault, type CodeOutcome } from '../../../plans/physical/synthesis/code.js';
import { parseJson } from '../../../plans/protocol/json.js';
import type { Killed, SandboxChild } from './child.js';
import type { ChildPool } from './pool.js';
import { type BatchReply, marks, maxRowChars } from './protocol.js';
import type { Strikes } from './strikes.js';

/** A row on its way: where it stands, and its JSON text. */
interface Row {
  readonly at: number;
  readonly text: string;
}

/** What became of a row: its result as the child wrote it, or a fault. */
type Told = (row: Row, result: string | { readonly fault: CodeFault; readonly message: string }) => void;

interface Run {
  readonly source: string;
  readonly signal: AbortSignal;
  readonly told: Told;
}

export interface RunnerOptions {
  /** Rows in a batch, at most: each batch has a fresh context. */
  readonly batchRows: number;
  /** UTF-16 units of rows in a batch, at most; one row may be longer. */
  readonly batchChars: number;
  /** True: one context for all batches of a child while the source is the same. For comparison only: rows share it. */
  readonly keepContext?: true;
}

const faultMarks: Readonly<Record<string, CodeFault>> = {
  [marks.threw]: 'threw',
  [marks.notJson]: 'not-json',
  [marks.tooLarge]: 'too-large',
};

/** Runs batches on a pool of children, and finds the row that is to blame when one does not come back. */
export class SandboxRunner implements CodeRunner {
  private readonly pool: ChildPool;
  private readonly strikes: Strikes;
  private readonly options: RunnerOptions;

  constructor(pool: ChildPool, strikes: Strikes, options: RunnerOptions) {
    this.pool = pool;
    this.strikes = strikes;
    this.options = options;
  }

  async run(...[code, rows, signal]: Parameters<CodeRunner['run']>): Promise<readonly CodeOutcome[]> {
    signal.throwIfAborted();
    const outcomes = new Array<CodeOutcome>(rows.length);
    const told: Told = (row, result) => {
      outcomes[row.at] = typeof result === 'string' ? outcomeOf(result, code.output) : { state: 'failed', ...result };
    };
    const run = { source: code.source.trim(), signal, told };
    const texts = rows.map((row, at) => ({ at, text: JSON.stringify(row) }));
    const [fits, tooLong] = [texts.filter(isShort), texts.filter((row) => !isShort(row))];
    for (const row of tooLong) told(row, { fault: 'too-large', message: `the row is over ${maxRowChars} characters` });
    const batches = this.cut(fits).values();
    const take = async (): Promise<void> => {
      for (const batch of batches) await this.runBatch(run, batch);
    };
    const taking = await Promise.allSettled(Array.from({ length: this.pool.width }, take));
    for (const taken of taking) if (taken.status === 'rejected') throw taken.reason;
    return outcomes;
  }

  /**
   * When a batch stops, the row that was running is run again by itself: only what stops alone is to blame, since a batch may
   * have been long as a whole. Where no row was running, after the last one, the halves are run.
   */
  private async runBatch(run: Run, rows: readonly Row[]): Promise<void> {
    run.signal.throwIfAborted();
    if (rows.length === 0) return;
    if (this.strikes.isOut(run.source)) {
      for (const row of rows) run.told(row, disabled);
      return;
    }
    const reply = await this.pool.lend((child) => this.ask(run, child, rows));
    run.signal.throwIfAborted();
    const results = 'results' in reply ? reply.results : [];
    for (const [at, result] of results.entries()) run.told(rows[at] as Row, result);
    const fault = 'killed' in reply ? reply.killed : reply.stopped;
    if (fault === undefined) return;
    if (fault === 'not-a-function' || rows.length === 1) {
      if (codeFaults[fault].strike) this.strikes.add(run.source);
      const message = ('message' in reply ? reply.message : undefined) ?? messages[fault];
      for (const row of rows.slice(results.length)) run.told(row, { fault, message });
      return;
    }
    const done = 'killed' in reply ? reply.done : results.length;
    const suspect = done < rows.length ? done : rows.length >> 1;
    const alone = done < rows.length ? 1 : 0;
    await this.runBatch(run, rows.slice(results.length, suspect));
    await this.runBatch(run, rows.slice(suspect, suspect + alone));
    await this.runBatch(run, rows.slice(suspect + alone));
  }

  private async ask(run: Run, child: SandboxChild, rows: readonly Row[]): Promise<BatchReply | Killed> {
    const onAbort = (): void => child.kill();
    run.signal.addEventListener('abort', onAbort, { once: true });
    try {
      const keep = this.options.keepContext === undefined ? {} : { keep: true as const };
      return await child.run({ source: run.source, rows: rows.map(({ text }) => text), ...keep });
    } finally {
      run.signal.removeEventListener('abort', onAbort);
    }
  }

  private cut(rows: readonly Row[]): readonly (readonly Row[])[] {
    const batches: Row[][] = [];
    let chars = Infinity;
    for (const row of rows) {
      const last = batches.at(-1);
      if (
        last === undefined ||
        last.length >= this.options.batchRows ||
        chars + row.text.length > this.options.batchChars
      ) {
        batches.push([row]);
        chars = row.text.length;
      } else {
        last.push(row);
        chars += row.text.length;
      }
    }
    return batches;
  }
}

const messages = {
  timeout: 'the code ran longer than it may',
  memory: 'the code used more memory than it may',
  crashed: 'the code ended its process',
  'not-a-function': 'the source is not one function expression',
} as const;

const disabled = {
  fault: 'disabled',
  message: 'the code was disabled after it had broken its limits on other rows',
} as const;

function isShort({ text }: Row): boolean {
  return text.length <= maxRowChars;
}

function outcomeOf(result: string, output: Parameters<typeof readReturned>[1]): CodeOutcome {
  const mark = result.slice(0, 1);
  const rest = result.slice(1);
  if (mark !== marks.answered) return { state: 'failed', fault: faultMarks[mark] ?? 'crashed', message: rest };
  const parsed = parseJson(rest);
  if (!parsed.ok) return { state: 'failed', fault: 'not-json', message: parsed.error };
  return readReturned(parsed.value, output);
}
