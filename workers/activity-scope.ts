import { Context } from '@temporalio/activity';
import type { ActivityScope } from '../activities/ports.js';

/** The scope of the activity that is running: its heartbeat, and a signal for "told to stop" (also by a worker that drains). */
export function activityScope(): ActivityScope {
  const context = Context.current();
  return { stop: context.cancellationSignal, heartbeat: () => context.heartbeat() };
}
