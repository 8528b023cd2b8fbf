import { listwise } from './listwise.js';
import { quickselect } from './quickselect.js';
import type { Selection, SelectionState } from './selection.js';
import { tournament } from './tournament.js';

export type SelectionKind = 'pairwise' | 'heap' | 'listwise';

/** A way whose states are opaque: each is given back states that it made itself. */
function opaque<State extends SelectionState>(selection: Selection<State>): Selection {
  return selection as Selection;
}

/** Ways to find the k best; a new one is a row. */
export const selections: Readonly<Record<SelectionKind, Selection>> = {
  pairwise: opaque(quickselect),
  heap: opaque(tournament),
  listwise: opaque(listwise),
};
