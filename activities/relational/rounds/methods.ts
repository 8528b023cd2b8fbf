import type { RoundsKind } from '../../../plans/protocol/strategy.js';
import { entities } from './find-entities.js';
import { labels } from './find-labels.js';
import { fold, tree } from './fold-groups.js';
import type { RoundMethod } from './method.js';
import { selectTop } from './select-top.js';

/** Every way to answer a call in rounds; a new one is a row. */
export const roundMethods: Readonly<Record<RoundsKind, RoundMethod>> = {
  tree,
  fold,
  labels,
  pairs: entities,
  pairwise: selectTop,
  heap: selectTop,
  listwise: selectTop,
};
