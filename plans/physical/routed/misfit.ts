/** Whether a plan can answer a call: told before anything is asked. */
import type { SemanticCall } from '../../operators/call.js';
import type { Scorer, TreeNode } from '../router/scorer.js';
import type { RuleProgram } from '../synthesis/rules.js';
import { inputFeatures, inputName } from './inputs.js';
import { labelValue } from './label.js';
import type { RoutedImplementation, RoutedPlan } from './plan.js';
import { planSignature, signedIntent } from './signature.js';

/** Why a plan is not for a call, for people; undefined when it is. */
export function otherIntent({ signature }: RoutedPlan, call: SemanticCall): string | undefined {
  if (signature === planSignature(call)) return undefined;
  const made = signedIntent(signature);
  return `the plan was made for another intent${made === undefined ? '' : `: ${made}`}`;
}

/** What of a plan does not go with a call that it is for: only a plan that was changed by hand has any. */
export function partsAmiss({ router, implementations }: RoutedPlan, call: SemanticCall): readonly string[] {
  const places = call.inputs.map((_, at) => inputName(at));
  const features = new Set(inputFeatures([places]).names);
  return [
    ...featuresOf(router.scorer)
      .filter((feature) => !features.has(feature))
      .map((feature) => `its router reads a feature ${JSON.stringify(feature)} that no input has`),
    ...implementations.flatMap((one) => amissIn(one, call, places)),
  ];
}

function featuresOf(scorer: Scorer): readonly string[] {
  return scorer.form === 'tree' ? readBy(scorer.root) : scorer.terms.map(({ feature }) => feature);
}

function readBy(node: TreeNode): readonly string[] {
  return 'score' in node ? [] : [node.feature, ...readBy(node.yes), ...readBy(node.no)];
}

function amissIn(one: RoutedImplementation, call: SemanticCall, places: readonly string[]): readonly string[] {
  if (!('program' in one)) return [];
  const { columns, labels } = usedBy(one.program);
  return [
    ...columns.filter((column) => !places.includes(column)).map((column) => `reads ${column}, which the call has not`),
    ...labels
      .filter((label) => labelValue(label, call.output) === undefined)
      .map((label) => `answers ${JSON.stringify(label)}, which is no answer of the call`),
  ].map((problem) => `${one.name} ${problem}`);
}

function usedBy(program: RuleProgram): { readonly columns: readonly string[]; readonly labels: readonly string[] } {
  if (program.kind !== 'list') return { columns: [program.column], labels: program.of.map(({ label }) => label) };
  const { rules, otherwise } = program;
  return {
    columns: rules.map(({ test }) => test.column),
    labels: [...rules.map(({ label }) => label), otherwise.label],
  };
}
