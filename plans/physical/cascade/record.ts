/** What a cascade did over one wave: kept with the run's objects, and told to people. */
import type { ReportedStep } from './steps.js';
import type { Targets } from './targets.js';
import type { AskAll, Cascade } from './thresholds.js';

export interface CascadeRecord {
  readonly v: 1;
  /** Distinct inputs. */
  readonly inputs: number;
  /** Inputs that the proxy gave no answer for; the oracle is asked. */
  readonly unscored: number;
  /** Inputs that the oracle answered for the proxy to be fitted to; absent: none. */
  readonly trained?: number;
  readonly sampled: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Inputs that the oracle is asked about after the sample. */
  readonly rest: number;
  readonly decision: Cascade | AskAll;
}

/** Share of the inputs that each step decides, vectors of sides as the proxy does; zeros when there is no input. */
export function sharesOf(records: readonly CascadeRecord[]): Readonly<Record<Exclude<ReportedStep, 'sides'>, number>> {
  const of = (count: (record: CascadeRecord) => number): number => sum(records, count);
  const inputs = Math.max(
    1,
    of((record) => record.inputs),
  );
  return {
    proxy: of(decided) / inputs,
    train: of(({ trained = 0 }) => trained) / inputs,
    sample: of((record) => record.sampled) / inputs,
    rest: of((record) => record.rest) / inputs,
  };
}

/** One sentence about a call that ran as a cascade, over all of its waves. */
export function describeCascade(
  title: string,
  proxy: string,
  targets: Targets,
  records: readonly CascadeRecord[],
): string {
  const inputs = sum(records, (record) => record.inputs);
  const asked = sum(records, ({ trained = 0, sampled, rest }) => trained + sampled + rest);
  const refusals = [...new Set(records.flatMap(({ decision }) => (decision.kind === 'ask-all' ? [decision] : [])))];
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === records.length) {
    const needed = refusal.sampleNeeded === undefined ? '' : ` (a sample of about ${refusal.sampleNeeded} might do)`;
    return `${title}: cascade asked about all ${counted(inputs)}: ${refusal.message}${needed}`;
  }
  const share = percent(sharesOf(records).proxy);
  const parts = refusals.length === 0 ? '' : `; ${refusals.length} of ${records.length} waves asked about all`;
  return `${title}: cascade: ${proxy} decided ${share}, the oracle was asked ${grouped(asked)} of ${grouped(inputs)}, ${goal(targets)}${parts}`;
}

/** Targets as people say them: `recall ≥ 0.9 and precision ≥ 0.9 at 95 % confidence`. */
export function goal({ recall, precision, confidence }: Targets): string {
  if (recall === undefined && precision === undefined) return 'how many true pairs that leaves out is not tested';
  const named = Object.entries({ recall, precision }).filter(([, value]) => value !== undefined);
  return `${named.map(([name, value]) => `${name} ≥ ${String(value)}`).join(' and ')} at ${percent(confidence)} confidence`;
}

function decided({ accepted, rejected }: CascadeRecord): number {
  return accepted + rejected;
}

function sum(records: readonly CascadeRecord[], of: (record: CascadeRecord) => number): number {
  return records.reduce((total, record) => total + of(record), 0);
}

function percent(share: number): string {
  return `${String(Math.round(share * 1000) / 10)} %`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function counted(inputs: number): string {
  return inputs === 1 ? '1 input' : `${grouped(inputs)} inputs`;
}
