/** What a routed plan makes of the sample: quality against the teacher's labels, seconds and USD, from answers that are there. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { bootstrapInterval } from '../evaluation/intervals.js';
import { metrics } from '../evaluation/metrics.js';
import type { Interval } from '../physical/cascade/bounds/clopper-pearson.js';
import { bucketsOf } from '../physical/router/buckets.js';
import type { JsonValue } from '../protocol/json.js';
import type { Configuration } from '../tuning/space.js';
import { massesOf, thresholdsOf } from './space.js';
import type { SearchTable } from './table.js';

/** Sums over the rows of the sample. */
export interface Evaluation {
  /** In [0, 1], by the table's metric. */
  readonly quality: number;
  /** One call after the other. */
  readonly latencySeconds: number;
  readonly costUsd: number;
  /** For each contender: rows whose bucket it is, and with them those that the one before was too unsure about. */
  readonly routed: readonly number[];
  readonly reached: readonly number[];
  /** Rows that the default model answered because the plan's answer failed. */
  readonly safe: number;
}

interface Walked extends Omit<Evaluation, 'quality'> {
  readonly found: readonly JsonValue[];
}

export function evaluate(table: SearchTable, configuration: Configuration): Evaluation {
  const { found, ...sums } = walk(table, configuration);
  return { quality: metrics[table.metric](found, table.labels), ...sums };
}

/** Interval of the quality at 95 %, as rows are drawn anew. */
export function qualityInterval(table: SearchTable, configuration: Configuration): Interval {
  const { found } = walk(table, configuration);
  const pairs = found.map((value, row) => ({ value, label: table.labels[row]! }));
  const metric = metrics[table.metric];
  const of = (drawn: typeof pairs): number =>
    metric(
      drawn.map(({ value }) => value),
      drawn.map(({ label }) => label),
    );
  return bootstrapInterval(pairs, (drawn) => of([...drawn]), { seed: table.seed });
}

/** Each row goes to its bucket, on to the next while answers are less sure than their threshold, to the default model on failure. */
function walk(table: SearchTable, configuration: Configuration): Walked {
  const { contenders, direct, percentiles } = table;
  const thresholds = thresholdsOf(table, configuration);
  const buckets = bucketsOf(percentiles, massesOf(table, configuration));
  const routed = contenders.map(() => 0);
  const reached = contenders.map(() => 0);
  const found: JsonValue[] = [];
  let [latencySeconds, costUsd, safe] = [0, 0, 0];
  const ask = (at: number, row: number) => {
    const { seconds, answers } = contenders[at]!;
    latencySeconds += seconds;
    costUsd += answers[row]!.usd;
    return answers[row]!;
  };
  for (let row = 0; row < percentiles.length; row++) {
    let at = buckets[row]!;
    routed[at]! += 1;
    reached[at]! += 1;
    let answer = ask(at, row);
    while (answer.state === 'ok' && at < contenders.length - 1 && (answer.confidence ?? 1) < thresholds[at]!) {
      at += 1;
      reached[at]! += 1;
      answer = ask(at, row);
    }
    if (answer.state === 'none' && at !== direct) {
      safe += 1;
      answer = ask(direct, row);
    }
    found.push(answer.state === 'ok' ? answer.value : null);
  }
  return { found, latencySeconds, costUsd, routed, reached, safe };
}
