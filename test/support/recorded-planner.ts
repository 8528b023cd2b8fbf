/**
 * Planners that say again what was recorded by `fermata plan … --record`, so that drafting is tested offline and comes out
 * the same each time. Recordings test drafting, verifying and repair; they count for no figure.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AskPlanner } from '../../plans/logical/drafting/draft.js';
import type { Instance } from '../../plans/logical/instance.js';
import type { Exchange } from '../../plans/protocol/drafting.js';

export interface PlannerRecording {
  readonly schema: 'fermata/planner-recording/1';
  /** The model that answered; `by hand` where a person wrote the answers. */
  readonly planner: string;
  readonly instance: Instance;
  readonly attempts: number;
  readonly exchanges: readonly Exchange[];
}

const folder = fileURLToPath(new URL('../fixtures/planner/', import.meta.url));

/** Every recording by its name. */
export function plannerRecordings(): readonly (readonly [string, PlannerRecording])[] {
  return readdirSync(folder).map((name) => {
    const recording = JSON.parse(readFileSync(`${folder}${name}`, 'utf8')) as PlannerRecording;
    return [name.replace(/\.json$/, ''), recording] as const;
  });
}

/** Answers in their place; throws for a place that was not recorded, and keeps the prompts that it was asked. */
export function recordedPlanner({ exchanges }: PlannerRecording): {
  readonly ask: AskPlanner;
  readonly prompts: string[];
} {
  const prompts: string[] = [];
  return {
    prompts,
    ask: (prompt, { attempt, round }) => {
      prompts.push(prompt);
      const found = exchanges.find((exchange) => exchange.attempt === attempt && exchange.round === round);
      if (found === undefined) return Promise.reject(new Error(`draft ${attempt}, round ${round} was not recorded`));
      return Promise.resolve(found.answer);
    },
  };
}
