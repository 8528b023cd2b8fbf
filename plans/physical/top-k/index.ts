import { listwise } from './listwise.js';
import { quickselect } from './quickselect.js';
import type { Selection } from './selection.js';
import { tournament } from './tournament.js';

export type SelectionKind = 'pairwise' | 'heap' | 'listwise';

/** Ways to find the k best; a new one is a row. Each must be given back states that it made itself. */
export const selections: Readonly<Record<SelectionKind, Selection>> = {
  pairwise: quickselect,
  heap: tournament,
  listwise,
};
