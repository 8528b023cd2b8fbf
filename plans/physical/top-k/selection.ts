/** Finding the k best of n candidates, in order, by questions about a few of them at a time. */

/** State of a selection; plain JSON. Candidates are numbers from 0. */
export interface SelectionState {
  readonly seed: number;
  /** Rounds so far. */
  readonly round: number;
  /** Places that are wanted. */
  readonly k: number;
  /** Candidates that no answer could be had about: they have no place. */
  readonly failed: readonly Failed[];
}

export interface Failed {
  readonly candidate: number;
  /** Number of the question of the latest round that failed. */
  readonly question: number;
  readonly round: number;
}

/** Candidates that are asked about together. */
export type Question = readonly number[];
/** The members of a question, best first; undefined when it got no answer. */
export type Order = readonly number[] | undefined;

/** A way to select. Pure: the same state gives the same questions, and the same answers the same next state. */
export interface Selection<State extends SelectionState = SelectionState> {
  start(start: SelectionStart): State;
  /** The questions of the next round, all independent; none: the ranking is known. */
  ask(state: State): readonly Question[];
  /** `orders` by the questions that `ask` gave. */
  tell(state: State, orders: readonly Order[]): State;
  /** The best candidates, best first: `k`, or all that did not fail when there are fewer. Only once nothing is left to ask. */
  ranking(state: State): readonly number[];
}

export interface SelectionStart {
  readonly candidates: number;
  readonly k: number;
  readonly seed: number;
  /** Most members of a question, of a method that asks about lists. */
  readonly window: number;
}
