/** Rounds of a call as calls of their own: ids, schedules, and the record under which their questions are counted. */
import type { CallSchedule } from '../../protocol/activities.js';

/** Id of one round of a call: names its objects and its workflow. */
export function roundId(call: string, round: number): string {
  return `${call}.r${round}`;
}

/** The call whose round an id names; undefined for any other id. */
export function parseRoundId(id: string): { readonly call: string; readonly round: number } | undefined {
  const match = /^(.+)\.r(\d+)$/.exec(id);
  return match?.[1] === undefined ? undefined : { call: match[1], round: Number(match[2]) };
}

/** The schedule of one round; the first one of inputs that are embedded is the embedding model's. */
export function roundSchedule(call: CallSchedule, round: number): CallSchedule {
  const id = roundId(call.id, round);
  const nearness = round === 0 ? call.rounds?.nearness : undefined;
  if (nearness === undefined) return { ...call, id };
  const { operator, role, partitionRows } = call;
  return { operator, role, partitionRows, ...nearness, id };
}

/** Names the spend of the embedding model apart from that of the call. */
export function vectorsId(call: string): string {
  return `${call}.vectors`;
}

/** The prepared call that counts the questions of all rounds. */
export function questionsId(call: string): string {
  return `${call}.rounds`;
}
