import type { JsonValue } from '../../protocol/json.js';

export type TaskParams = Readonly<Record<string, JsonValue>>;

/** A task that plain code does: deterministic, at once, and without a model. */
export interface CodeTask {
  /** Whether the code serves under these parameters; else a model is asked. */
  readonly serves: (params: TaskParams) => boolean;
  /** Rows by the outputs of the task's signature; one row where the task makes one. Inputs are texts by slot, never NULL. */
  readonly run: (inputs: Readonly<Record<string, string>>, params: TaskParams) => readonly CodeRow[];
}

export type CodeRow = Readonly<Record<string, JsonValue>>;

export type CodeTasks = Readonly<Record<string, CodeTask>>;
