import { attributeOf } from '../../relation/schema.js';
import { isAssignable } from '../../relation/types.js';
import { didYouMean } from '../../sql/nearest.js';
import { encodePlan } from '../json.js';
import type { Operator } from '../operator.js';
import { schemaOf } from '../walk.js';
import type { PlanContext, RequiredOutput } from './context.js';
import { readDraft } from './draft.js';
import type { PlanIssue } from './issue.js';
import { readDraftOperator } from './read-operators.js';
import { isKeyedBy, rowsOf } from './rows.js';
import { checkWiring } from './wiring.js';

export type Verdict =
  | { readonly ok: true; readonly plan: Operator }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/**
 * Reads the JSON form of a plan and checks it against relations, catalog and required output. Lists everything that is
 * wrong, not only the first; never throws, whatever the JSON is.
 */
export function verifyPlan(json: unknown, context: PlanContext): Verdict {
  const draft = readDraft(json);
  const { order, issues: wiring } = checkWiring(draft);
  const issues: PlanIssue[] = [...draft.issues, ...wiring];
  const read = new Map<string, Operator>();
  for (const item of order) {
    const operator = readDraftOperator(item, {
      fields: item.fields,
      inputs: item.inputs.map((input) => read.get(input)),
      context,
      report: (fault, field, message, hint) => {
        issues.push({ fault, at: field === '' ? item.id : `${item.id}.${field}`, message, hint });
      },
    });
    if (operator !== undefined) read.set(item.id, operator);
  }
  const plan = draft.output === undefined ? undefined : read.get(draft.output);
  if (plan !== undefined && context.output !== undefined)
    issues.push(...outputIssues(plan, context.output, draft.output ?? ''));
  return plan === undefined || issues.length > 0 ? { ok: false, issues: withOne(issues) } : { ok: true, plan };
}

/** The same checks for a plan that rules and seeds have built. */
export function verifyOperator(plan: Operator, context: PlanContext): Verdict {
  const verdict = verifyPlan(encodePlan(plan), context);
  return verdict.ok ? { ok: true, plan } : verdict;
}

function outputIssues(plan: Operator, { schema, rows, key }: RequiredOutput, at: string): readonly PlanIssue[] {
  const issues: PlanIssue[] = [];
  const given = schemaOf(plan);
  const names = given.map(({ name }) => name);
  for (const { name, type } of schema) {
    const found = attributeOf(given, name);
    if (found === undefined) {
      const hint = `${didYouMean(name, names)} The plan gives: ${names.join(', ')}.`.trim();
      issues.push({ fault: 'output-schema', at, message: `the output lacks '${name}' of type ${type}`, hint });
    } else if (!isAssignable(found.type, type)) {
      issues.push({
        fault: 'output-schema',
        at,
        message: `'${name}' is ${found.type}, and ${type} is asked for`,
        hint: 'Convert it in a project.',
      });
    }
  }
  for (const { name } of given) {
    if (attributeOf(schema, name) !== undefined) continue;
    issues.push({
      fault: 'output-schema',
      at,
      message: `nobody asked for '${name}'`,
      hint: 'End with a project onto the output schema.',
    });
  }
  return [...issues, ...rowIssues(plan, rows, key, at)];
}

function rowIssues(
  plan: Operator,
  rows: RequiredOutput['rows'],
  key: readonly string[],
  at: string,
): readonly PlanIssue[] {
  if (rows === 'any') return [];
  const found = rowsOf(plan);
  if (!isKeyedBy(found, key)) {
    return [
      {
        fault: 'cardinality',
        at,
        message: 'a tuple of the input can come out several times',
        hint: 'After a task that makes many rows, group by the key, or keep the top 1 of each key.',
      },
    ];
  }
  if (rows === 'one' && !found.complete) {
    return [
      {
        fault: 'cardinality',
        at,
        message: 'a tuple of the input can get lost',
        hint: 'Every tuple needs one row: join what was filtered or grouped back with a left join on the key.',
      },
    ];
  }
  return [];
}

/** A draft of which nothing could be read still has a reason. */
function withOne(issues: readonly PlanIssue[]): readonly PlanIssue[] {
  if (issues.length > 0) return issues;
  return [{ fault: 'malformed', at: '', message: 'the output cannot be read', hint: 'Name an operator in "output".' }];
}
