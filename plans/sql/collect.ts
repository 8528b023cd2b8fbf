/** Takes the semantic calls out of expressions and leaves their answer columns. */
import type { CallRole } from '../operators/call.js';
import { anyAnswer, type FoldDraft, readFold } from './aggregates.js';
import { answerPrefix, readsAnswer } from './answers.js';
import { bindInput } from './bind-input.js';
import { FermataError } from '../protocol/errors.js';
import { explainedCondition, operands } from './explained.js';
import { fault } from './fault.js';
import { joinedAlias } from './join-columns.js';
import { tokenize } from './lexer.js';
import type { CallReading } from './functions.js';
import type { InputDraft, PromptContext } from './prompt.js';
import { isAggregate, isSemantic, semanticFunction, shown, spelledName } from './recognise.js';
import { refuseUnmovable } from './refuse.js';
import { refuseMixed } from './similarity.js';
import { expandAliases, resolveColumn, type Scope, unknownColumn, withoutMethodCalls } from './scope.js';
import { columnRef, isClass, mapNodes, positionOf, type SqlNode, text, texts, treeKey } from './tree.js';

/** A call whose inputs are still trees. */
export interface CallDraft extends CallReading {
  readonly id: string;
  readonly role: CallRole;
  /** Of an aggregate. */
  readonly fold?: FoldDraft;
  readonly position: number;
  /** As the user spelled it, for messages and column names. */
  readonly spelled: string;
}

export interface Collector {
  /** Makes a WHERE conjunct that is one filter call a filter; undefined when it must be a value after all. */
  filter(conjunct: SqlNode): CallDraft | undefined;
  /** A copy of the expression that reads answer columns where it had calls. */
  rewrite<T extends SqlNode[string]>(expression: T): T;
  /** Filters first, then values, then aggregates, every call behind those that it reads. */
  calls(): readonly CallDraft[];
  readonly ignored: ReadonlySet<string>;
}

/** How many calls of each role the queries before this one have; ids go on from there. */
export type KnownCalls = Readonly<Record<CallRole, number>>;

/** First letters of ids; the order is that of execution. */
const letters = { filter: 'f', value: 'c', aggregate: 'a' } as const satisfies Record<CallRole, string>;
const roles = Object.keys(letters) as readonly CallRole[];

/** The same call written twice is one call. */
export function createCollector(sql: string, scope: Scope, known: KnownCalls): Collector {
  const drafts = new Map<string, CallDraft>();
  const ignored = new Set<string>();
  const open = new Set<number>();
  const context: PromptContext = { scope, sql, tokens: tokenize(sql), input };

  function read(node: SqlNode): { readonly key: string; readonly reading: CallReading } {
    const reading = readOnce(node);
    for (const option of reading.ignored) ignored.add(`${shown(spelledName(node))}: ${option}`);
    const inputs = reading.inputs.map((item) => treeKey(item.node));
    const { parameters, template, output, guidance, model = '' } = reading;
    return { key: JSON.stringify([parameters, template, inputs, output, guidance ?? null, model]), reading };
  }

  /** A call that would read its own answer through aliases is found by its place. */
  function readOnce(node: SqlNode): CallReading {
    const place = positionOf(node) ?? 0;
    if (open.has(place)) throw fault('BadArgument', `${shown(spelledName(node))} reads its own answer`, node);
    open.add(place);
    const reading = placedAt(node, () => semanticFunction(node).read(node, context));
    open.delete(place);
    return reading;
  }

  function isExplained(node: SqlNode): boolean {
    return read(node).reading.guidance?.explain === true;
  }

  function add(node: SqlNode, role: CallRole, key: string, reading: CallReading & Pick<CallDraft, 'fold'>): CallDraft {
    const count = [...drafts.values()].filter((draft) => draft.role === role).length;
    const id = `${letters[role]}${known[role] + count}`;
    const draft = { ...reading, id, role, position: positionOf(node) ?? 0, spelled: spelledName(node) };
    drafts.set(key, draft);
    return draft;
  }

  /** Every row of a group carries the answer of the group. */
  function aggregateOf(node: SqlNode): SqlNode {
    const { key: reads, reading } = read(node);
    const fold = readFold(node, (expression) => input(expression).node);
    const key = `${reads} over ${treeKey({ fold: fold as unknown as SqlNode })}`;
    const draft = drafts.get(key) ?? add(node, 'aggregate', key, { ...reading, fold });
    return anyAnswer(columnRef([scope.alias, answerPrefix + draft.id]), text(node, 'alias'));
  }

  function answerOf(node: SqlNode): SqlNode {
    const { key, reading } = read(node);
    const draft = drafts.get(key) ?? add(node, 'value', key, reading);
    return columnRef([scope.alias, answerPrefix + draft.id], text(node, 'alias'));
  }

  function rewrite<T extends SqlNode[string]>(expression: T): T {
    return mapNodes(expression, (node) => {
      if (isAggregate(node)) return aggregateOf(node);
      if (isSemantic(node)) return answerOf(node);
      refuseMixed(node, (embed) => read(embed).reading.inputs);
      const decides = operands(node).find((operand) => isSemantic(operand) && isExplained(operand));
      if (decides !== undefined) throw explainedCondition(decides);
      const parts = isClass(node, 'COLUMN_REF') ? texts(node, 'column_names') : [];
      if (parts.length > 0) refuseReserved(parts, node);
      const viaSchema =
        parts.length > 2 && parts[0]?.toLowerCase() === 'main' && resolveColumn(scope, parts) !== undefined;
      return viaSchema ? { ...node, column_names: parts.slice(1) } : undefined;
    });
  }

  function refuseReserved(parts: readonly string[], node: SqlNode): void {
    const ours = parts.slice(0, 2).some((part) => /^__(?:row$|a_)/i.test(part));
    if (ours && resolveColumn(scope, parts) === undefined) throw unknownColumn(scope, parts.join('.'), node);
  }

  function input(expression: SqlNode): InputDraft {
    const expanded = withoutMethodCalls(scope, expandAliases(scope, { ...expression, alias: '' }));
    refuseUnmovable(expanded, scope);
    const node = { ...rewrite(expanded), alias: '' };
    return { label: labelOf(expression), ...bindInput(node, scope) };
  }

  return {
    filter(conjunct) {
      const { key, reading } = read(conjunct);
      if (reading.guidance?.explain === true) throw explainedCondition(conjunct);
      const known = drafts.get(key);
      if (known !== undefined) return known.role === 'filter' ? known : undefined;
      if (reading.parameters.kind !== 'filter' || reading.inputs.some(({ node }) => readsAnswer(node)))
        return undefined;
      return add(conjunct, 'filter', key, reading);
    },
    rewrite,
    calls: () => {
      const all = [...drafts.values()];
      return roles.flatMap((wanted) => all.filter(({ role }) => role === wanted));
    },
    ignored,
  };
}

/** An error about an argument that DuckDB gave no place stands at the call. */
function placedAt<T>(call: SqlNode, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!FermataError.is(error) || error.where.position !== undefined) throw error;
    throw fault(error.code, error.message, call, error.hint);
  }
}

/** How the user named an input; empty for an expression, whose SQL text then serves. */
function labelOf(expression: SqlNode): string {
  if (isSemantic(expression)) return shown(spelledName(expression));
  const parts = isClass(expression, 'COLUMN_REF') ? texts(expression, 'column_names') : [];
  return (parts[0] === joinedAlias ? parts.slice(1) : parts).join('.');
}
