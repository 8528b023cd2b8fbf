import { aggregate } from './aggregate.js';
import type { OperatorKind } from './call.js';
import { classify } from './classify.js';
import { compare } from './compare.js';
import { complete } from './complete.js';
import { dedup } from './dedup.js';
import { embed } from './embed.js';
import { extract } from './extract.js';
import { filter } from './filter.js';
import { group } from './group.js';
import { guided } from './guidance.js';
import type { SemanticOperator } from './operator.js';
import { parse } from './parse.js';
import { rank } from './rank.js';
import { score } from './score.js';
import { sentiment } from './sentiment.js';
import { summarize } from './summarize.js';
import { transcribe } from './transcribe.js';
import { translate } from './translate.js';

/** Every kind of semantic operator: a new one is a module in this folder and a row here. */
const operators: Readonly<Record<OperatorKind, SemanticOperator>> = {
  filter,
  classify,
  extract,
  complete,
  score,
  sentiment,
  summarize,
  translate,
  embed,
  transcribe,
  parse,
  aggregate,
  group,
  dedup,
  compare,
  rank,
};

/** Each heeds what users add to its prompt. */
export const semanticOperators = Object.fromEntries(
  Object.entries(operators).map(([kind, operator]) => [kind, guided(operator)]),
) as Readonly<Record<OperatorKind, SemanticOperator>>;
