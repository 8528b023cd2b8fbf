/** A kept plan as a file, with how it was measured and for which data: what one project hands to another. */
import * as z from 'zod';
import { isDeeper, readRoutedPlan } from '../physical/routed/plan.schema.js';
import { canonicalJson } from '../operators/fingerprint.js';
import { FermataError } from './errors.js';
import { isPlanId, type SavedPlan } from './saved-plan.js';

const kind = 'fermata-plan';
const version = 1;
/** Of the whole file; the plan within has a limit of its own. */
const deepest = 40;

const share = z.number().min(0).max(1);
const amounts = z.record(z.string(), z.number());
const sketch = z.array(z.number()).min(2).max(1_000);
const measured = z.strictObject({
  trial: z.int().nonnegative(),
  utility: z.number(),
  quality: share,
  latencySeconds: z.number().nonnegative(),
  costUsd: z.number().nonnegative(),
  interval: z.strictObject({ lower: z.number(), upper: z.number() }),
});

const savedSchema = z.strictObject({
  v: z.literal(1),
  id: z.string().refine(isPlanId, 'no id of a plan'),
  runId: z.string().min(1).max(1_000),
  savedAt: z.number().nonnegative(),
  metric: z.string().min(1).max(100),
  labelled: z.int().positive(),
  direct: measured,
  measured,
  plan: z.unknown(),
  conditions: z
    .strictObject({
      weights: z.strictObject({ quality: z.number(), latency: z.number(), cost: z.number() }),
      teacher: z.string(),
      direct: z.string(),
      backends: z.record(z.string(), z.string()),
    })
    .exactOptional(),
  profile: z
    .strictObject({
      v: z.literal(1),
      inputs: z.int().nonnegative(),
      profiled: z.int().positive(),
      features: z.record(z.string(), sketch),
      scores: sketch,
      kinds: z.record(z.string(), share),
      words: z.array(z.array(z.number()).max(1_000)).max(1_000),
    })
    .exactOptional(),
  settings: z
    .array(z.strictObject({ shares: amounts, thresholds: amounts }))
    .max(100)
    .exactOptional(),
});

const fileSchema = z.strictObject({
  kind: z.literal(kind),
  version: z.literal(version),
  /** Of `saved`: tells what was damaged or changed by hand, not who wrote it. */
  checksum: z.string(),
  saved: savedSchema,
});

/** SHA-256 of a text as lower-case hex; this module has none of its own. */
export type Sha256 = (text: string) => string;

const checksumOf = (saved: unknown, sha256: Sha256): string => sha256(canonicalJson(saved));

export function planFile(saved: SavedPlan, sha256: Sha256): string {
  return `${JSON.stringify({ kind, version, checksum: checksumOf(saved, sha256), saved }, undefined, 2)}\n`;
}

/** From parsed JSON. `file`: where it came from, for messages. Throws `BadPlan`: what is wrong, and where. */
export function readPlanFile(value: unknown, file: string, sha256: Sha256): SavedPlan {
  const refuse = (problem: string, hint: string): never => {
    throw new FermataError('BadPlan', `${file} cannot be imported: ${problem}`, { hint, where: { file } });
  };
  if (isDeeper(value, deepest)) refuse(`it is nested deeper than ${deepest} levels`, 'export it again');
  const fields = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  if (fields['kind'] !== kind) {
    refuse(
      'it is not what `fermata plans export --whole` writes',
      'a plan alone runs with --strategy routed --plan FILE',
    );
  }
  const found = fields['version'];
  if (typeof found === 'number' && found > version) {
    refuse(`it is of version ${found}, this program reads version ${version}`, 'update Fermata');
  }
  if (fields['checksum'] !== checksumOf(fields['saved'] ?? null, sha256)) {
    refuse('it was changed after it was exported, or is damaged', 'export it again');
  }
  const read = fileSchema.safeParse(value);
  if (read.success) {
    const { plan, ...saved } = read.data.saved;
    return { ...saved, plan: readRoutedPlan(plan, file) };
  }
  const [issue] = read.error.issues;
  return refuse(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'it is no plan'}`, 'export it again');
}
