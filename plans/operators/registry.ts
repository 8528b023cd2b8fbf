import type { OperatorKind } from './call.js';
import { classify } from './classify.js';
import { complete } from './complete.js';
import { extract } from './extract.js';
import { filter } from './filter.js';
import type { SemanticOperator } from './operator.js';
import { score } from './score.js';

/** Every kind of semantic operator: a new one is a module in this folder and a row here. */
export const semanticOperators = { filter, classify, extract, complete, score } satisfies Record<
  OperatorKind,
  SemanticOperator
>;
