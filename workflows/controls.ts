/** What every run that a person waits for lets itself be told. */
import { setHandler } from '@temporalio/workflow';
import type { RunBudget, RunPhase } from '../plans/protocol/run.js';
import { budgetProblem, mergeBudget } from './budget.js';
import { type Control, cancelUpdate, pauseUpdate, resumeUpdate, setBudgetUpdate } from './messages.js';

export interface Controlled {
  phase: RunPhase;
  paused: boolean;
  pauseReason: string;
  budget: RunBudget;
}

/** What the children of a run are told. */
export function controlOf({ paused, budget }: Controlled, stop: Control['stop']): Control {
  return {
    paused,
    limits: {
      ...(budget.usd === undefined ? {} : { usd: budget.usd }),
      ...(budget.calls === undefined ? {} : { calls: budget.calls }),
      ...(budget.tokens === undefined ? {} : { tokens: budget.tokens }),
    },
    ...(stop === undefined ? {} : { stop }),
  };
}

/** Throws, for a validator, once the run can no longer heed anything. */
export function requireOpen({ phase }: Controlled): void {
  if (phase === 'finishing' || phase === 'done') throw new Error('the run is finishing');
}

/** Handles pause, resume, setBudget and cancel; `changed` hears of all but the last. */
export function installControls(state: Controlled, changed: () => Promise<void>, cancel: () => Promise<void>): void {
  const open = () => requireOpen(state);
  setHandler(
    pauseUpdate,
    async (reason) => {
      state.paused = true;
      state.pauseReason = reason;
      await changed();
      return undefined;
    },
    { validator: (_reason: string) => open() },
  );
  setHandler(
    resumeUpdate,
    async () => {
      state.paused = false;
      state.pauseReason = '';
      await changed();
      return undefined;
    },
    { validator: open },
  );
  setHandler(
    setBudgetUpdate,
    async (budget: RunBudget) => {
      state.budget = mergeBudget(state.budget, budget);
      await changed();
      return state.budget;
    },
    {
      validator: (budget: RunBudget) => {
        open();
        const problem = budgetProblem(budget);
        if (problem !== undefined) throw new Error(problem);
      },
    },
  );
  setHandler(
    cancelUpdate,
    async () => {
      await cancel();
      return undefined;
    },
    { validator: open },
  );
}
