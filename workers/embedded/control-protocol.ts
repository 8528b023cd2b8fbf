import * as z from 'zod';
import { portsSchema, versionsSchema } from './stack-state.js';
import { stackPlanSchema } from './stack-plan.js';

/** Settings pass through the supervisor unread: it writes them to a file for its workers. */
const settingsSchema = z.record(z.string(), z.unknown());
const environmentSchema = z.record(z.string(), z.string());

/** What `up` sends to a new supervisor, through the channel it was spawned with. */
export const launchSchema = z.object({
  home: z.string(),
  fingerprint: z.string(),
  settings: settingsSchema,
  serverBinary: z.string(),
  versions: versionsSchema,
  /** Ports of the start before, taken again when free. */
  previousPorts: portsSchema.optional(),
  plan: stackPlanSchema,
});

/** Requests to a running supervisor: one JSON line on the control socket, answered by one. */
export const requestSchema = z.discriminatedUnion('op', [
  z.object({ op: z.literal('status') }),
  z.object({
    op: z.literal('restartWorkers'),
    fingerprint: z.string(),
    settings: settingsSchema,
    /** The whole environment of the caller. API keys are in it, therefore it travels by socket and is never stored. */
    env: environmentSchema,
  }),
  z.object({ op: z.literal('stop') }),
]);

export const processStates = ['starting', 'ready', 'waiting', 'crash-loop', 'stopping', 'stopped'] as const;

const processStatusSchema = z.object({
  name: z.string(),
  state: z.enum(processStates),
  pid: z.number().optional(),
  /** Times it was started again after it ended by itself. */
  restarts: z.number(),
  /** How it last ended, e.g. `exit code 1` or `signal SIGKILL`. */
  lastExit: z.string().optional(),
  log: z.string(),
  /** Last lines of its log, when it is not ready or waits for a restart. */
  lastLines: z.array(z.string()),
});

export const statusSchema = z.object({
  id: z.string(),
  state: z.enum(['starting', 'ready', 'degraded', 'stopping']),
  address: z.string(),
  namespace: z.string(),
  uiUrl: z.string(),
  fingerprint: z.string(),
  versions: versionsSchema,
  supervisorPid: z.number(),
  /** ISO 8601, UTC. */
  startedAt: z.string(),
  processes: z.array(processStatusSchema),
});

export const replySchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), status: statusSchema }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);

export type Launch = z.infer<typeof launchSchema>;
export type ControlRequest = z.infer<typeof requestSchema>;
export type ControlReply = z.infer<typeof replySchema>;
export type ProcessState = (typeof processStates)[number];
export type ProcessStatus = z.infer<typeof processStatusSchema>;
export type RunningStatus = z.infer<typeof statusSchema>;
