/** Truth files: JSON with tuples and tasks. */
import { z } from 'zod';
import type { JsonValue } from '../../../plans/protocol/json.js';
import type { TruthData } from './types.js';

const json: z.ZodType<JsonValue> = z.json();
const share = z.number().min(0).max(1);
const range = z.tuple([z.number(), z.number()]);

const tuple = z.strictObject({
  id: z.string(),
  collection: z.string(),
  values: z.array(z.string()),
  media: z.array(z.string().regex(/^[0-9a-f]{64}$/)).exactOptional(),
  fields: z.record(z.string(), json),
  evidence: z.record(z.string(), share).exactOptional(),
  about: z.string().exactOptional(),
  transcript: z.string().exactOptional(),
});

const rule = z.discriminatedUnion('rule', [
  z.strictObject({
    rule: z.literal('field'),
    field: z.string(),
    labels: z.record(z.string(), z.array(z.string())).exactOptional(),
    range: range.exactOptional(),
  }),
  z.strictObject({ rule: z.literal('test'), field: z.string(), in: z.array(json) }),
  z.strictObject({
    rule: z.literal('pair'),
    left: z.string(),
    right: z.string(),
    relation: z.enum(['equal', 'different', 'includes']),
  }),
  z.strictObject({
    rule: z.literal('rank'),
    field: z.string(),
    ascending: z.boolean().exactOptional(),
    range: range.exactOptional(),
  }),
]);

const task = z.strictObject({
  key: z.string(),
  collections: z.union([z.tuple([z.string()]), z.tuple([z.string(), z.string()])]),
  intent: z.array(z.array(z.string())),
  truth: rule,
  harder: z.number().exactOptional(),
});

/** Checks a truth file; throws `ZodError`. */
export const truthFileSchema: z.ZodType<TruthData> = z.strictObject({ tuples: z.array(tuple), tasks: z.array(task) });
