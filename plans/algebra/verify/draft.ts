import type { JsonValue } from '../../protocol/json.js';
import { didYouMean } from '../../sql/nearest.js';
import { planVersion } from '../json.js';
import type { OperatorKind } from '../operator.js';
import { operators } from '../operators.js';
import type { PlanIssue, Reporter } from './issue.js';

/** Most operators of a draft, and the longest id, name and text: a model may answer anything. */
export const draftLimits = {
  operators: 60,
  nameCharacters: 200,
  paramCharacters: 20_000,
  depth: 40,
  values: 50_000,
} as const;

export type Fields = Readonly<Record<string, JsonValue>>;

/** An operator of a draft: its kind is known and its inputs are ids; its other fields are still anything. */
export interface DraftOperator {
  readonly id: string;
  readonly kind: OperatorKind;
  readonly inputs: readonly string[];
  readonly fields: Fields;
}

export interface Draft {
  readonly operators: readonly DraftOperator[];
  /** Ids of operators that are there and cannot be read. */
  readonly unread: readonly string[];
  /** Undefined where the draft names no root. */
  readonly output: string | undefined;
  readonly issues: readonly PlanIssue[];
}

/** Reads the outer shape of a draft. What cannot be read is reported and left out. */
export function readDraft(json: unknown): Draft {
  const issues: PlanIssue[] = [];
  const report = (fault: PlanIssue['fault'], at: string, message: string, hint: string): void => {
    issues.push({ fault, at, message, hint });
  };
  const form = '{"v": 1, "nodes": [{"id": "n1", "op": "scan", …}, …], "output": "n1"}';
  if (!isFields(json)) {
    report('malformed', '', 'the plan is not a JSON object', `Write ${form}`);
    return { operators: [], unread: [], output: undefined, issues };
  }
  if (!isModest(json)) {
    report(
      'too-large',
      '',
      'the plan is too long or too deeply nested',
      `At most ${draftLimits.values} values are read, ${draftLimits.depth} deep.`,
    );
    return { operators: [], unread: [], output: undefined, issues };
  }
  const { v, nodes, output } = json;
  if (v !== undefined && v !== planVersion) {
    report('malformed', '', `version ${short(v)} of the form is not known`, `This is version ${planVersion}.`);
  }
  if (!Array.isArray(nodes) || nodes.length === 0) {
    report('malformed', '', "'nodes' is not a list of operators", `Write ${form}`);
    return { operators: [], unread: [], output: undefined, issues };
  }
  if (nodes.length > draftLimits.operators) {
    report('too-large', '', `the plan has ${nodes.length} operators`, `At most ${draftLimits.operators} are read.`);
    return { operators: [], unread: [], output: undefined, issues };
  }
  const found: DraftOperator[] = [];
  const unread: string[] = [];
  (nodes as readonly JsonValue[]).forEach((node, index) => {
    const operator = readOperator(node, `nodes[${index}]`, report);
    if (operator === undefined) {
      if (isFields(node) && typeof node['id'] === 'string') unread.push(node['id']);
      return;
    }
    if (found.some(({ id }) => id === operator.id)) {
      report('duplicate-name', operator.id, 'two operators have this id', 'Give each operator an id of its own.');
    } else found.push(operator);
  });
  const root = typeof output === 'string' ? output : undefined;
  if (root === undefined)
    report('malformed', '', "'output' names no operator", 'Set it to the id of the last operator.');
  return { operators: found, unread, output: root, issues };
}

/** Whether a value can be walked by recursion and in little time. Walks level by level, so nothing overflows. */
function isModest(json: JsonValue): boolean {
  let level: readonly JsonValue[] = [json];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    values += level.length;
    if (depth > draftLimits.depth || values > draftLimits.values) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values<JsonValue>(value) : [],
    );
  }
  return true;
}

type Report = (fault: PlanIssue['fault'], at: string, message: string, hint: string) => void;

function readOperator(node: JsonValue, place: string, report: Report): DraftOperator | undefined {
  if (!isFields(node)) {
    report('malformed', place, 'an operator is not a JSON object', 'Write {"id": "n1", "op": "scan", …}.');
    return undefined;
  }
  const { id, op } = node;
  if (typeof id !== 'string' || id === '' || id.length > draftLimits.nameCharacters) {
    report('malformed', place, 'an operator has no id', 'Give it a short text as id.');
    return undefined;
  }
  const kinds = Object.keys(operators);
  const name = typeof op === 'string' ? op.toLowerCase() : '';
  if (!isKind(name)) {
    report(
      'unknown-operator',
      id,
      `there is no operator ${short(op)}`,
      `${didYouMean(name.slice(0, draftLimits.nameCharacters), kinds)} The operators are: ${kinds.join(', ')}. A task is {"op": "apply", "task": …}.`.trim(),
    );
    return undefined;
  }
  return { id, kind: name, inputs: readInputs(node, name, id, report), fields: node };
}

function readInputs(node: Fields, kind: OperatorKind, id: string, report: Report): readonly string[] {
  if (kind === 'union') {
    const { inputs } = node;
    if (isTexts(inputs) && inputs.length > 0) return inputs;
    report('malformed', `${id}.inputs`, "'inputs' is not a list of ids", 'Name the operators to unite.');
    return [];
  }
  return operators[kind].children.map((child) => {
    const value = node[child];
    if (typeof value === 'string') return value;
    report('malformed', `${id}.${child}`, `'${child}' names no operator`, 'Set it to the id of an operator.');
    return '';
  });
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && (value as readonly JsonValue[]).every((item) => typeof item === 'string');
}

/** A value as messages show it. */
export function short(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

function isKind(name: string): name is OperatorKind {
  return Object.hasOwn(operators, name);
}

/** Reports a text that cannot be a name. */
export function goodName(name: string, field: string, report: Reporter): boolean {
  if (name.trim() !== '' && name.length <= draftLimits.nameCharacters && !name.includes('\u0000')) return true;
  report(
    'malformed',
    field,
    `${short(name)} is not a name`,
    `A name has 1 to ${draftLimits.nameCharacters} characters.`,
  );
  return false;
}
