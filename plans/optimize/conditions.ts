/** What a plan hangs on beside the question: it is taken again only where all of it is the same. */
import { canonicalJson } from '../operators/fingerprint.js';
import type { Weights } from '../tuning/objective/objective.js';

export interface PlanConditions {
  readonly weights: Weights;
  /** Names of the models whose answers were the labels, and that quality and price were compared with. */
  readonly teacher: string;
  readonly direct: string;
  /** Name and version of each model that was asked, by its name in the configuration. */
  readonly backends: Readonly<Record<string, string>>;
}

/** What has changed, for people; undefined when nothing has. */
export function changedCondition(then: PlanConditions, now: PlanConditions): string | undefined {
  if (canonicalJson({ ...then.weights }) !== canonicalJson({ ...now.weights })) return 'it was made for other weights';
  if (then.direct !== now.direct) return `it was compared with ${then.direct}`;
  if (then.teacher !== now.teacher) return `its labels are those of ${then.teacher}`;
  const [old, known] = [Object.keys(then.backends), Object.keys(now.backends)];
  const more = known.filter((name) => !old.includes(name));
  if (more.length > 0) return `it was made without ${more.join(', ')}`;
  const gone = old.filter((name) => !known.includes(name));
  if (gone.length > 0) return `${gone.join(', ')} took part in its search`;
  const other = known.filter((name) => then.backends[name] !== now.backends[name]);
  return other.length > 0 ? `${other.join(', ')} is another model now` : undefined;
}
