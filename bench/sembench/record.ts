/** What was measured of one query in one system: a line of the journal. */

/** Counted at the pool, whoever asked. */
export interface Use {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  /** Simulated latencies at full length, one call after the other. Hangs on neither load nor concurrency. */
  readonly callSeconds: number;
  /** Wall clock, with latencies shortened by the time scale. */
  readonly seconds: number;
  /** Wall clock as if the part during which calls slept had been slept at full length. */
  readonly fullSeconds: number;
  readonly maxInFlight: number;
}

interface Asked {
  readonly scenario: string;
  readonly query: string;
  readonly system: string;
  /** Of the pool. */
  readonly seed: number;
  /** Hash of what the figures hang on: data, scale, versions, settings. */
  readonly manifest: string;
}

export type Entry = Asked &
  (
    | {
        readonly status: 'ok';
        readonly metric: string;
        readonly quality: number;
        readonly rows: number;
        readonly use: Use;
        /** Of the search for its plan; `use` is without it. */
        readonly search?: Use;
        /** The plan in words. */
        readonly plan?: string;
        /** Load average of the last minute when it ended. */
        readonly load: number;
      }
    /** `refused`: the system says before it asks that it cannot. `failed`: it broke, or took too long. `skipped`: not tried. */
    | { readonly status: 'refused' | 'failed' | 'skipped'; readonly why: string }
  );

export type Measured = Extract<Entry, { readonly status: 'ok' }>;

export const keyOf = ({ scenario, query, system, seed, manifest }: Asked): string =>
  [manifest, scenario, seed, query, system].join(' ');
