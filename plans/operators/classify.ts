import type { JsonValue } from '../protocol/json.js';
import type { Label, SemanticCall } from './call.js';
import { decodeAnswer } from './decode.js';
import { asWritten, badCall, parametersOf, type SemanticOperator } from './operator.js';
import { replyLine, replyTokens } from './shape.js';

/** Most labels that OpenAI's strict mode takes in one enum without a bound on their length. */
const maxLabels = 250;
const maxLabelLength = 200;

/** `AI_CLASSIFY`: which label fits, or which labels fit; several come without repeats and in the order of the call. */
export const classify: SemanticOperator = {
  system: (call) => {
    const { labels, multi, task } = parametersOf(call, 'classify');
    const ask = multi ? 'Choose every label that fits the data' : 'Choose the one label that fits the data best';
    const lines = labels.map(labelLine).join('\n');
    return `${task === undefined ? '' : `${task}\n`}${ask}. Labels:\n${lines}\n${replyLine(call)}`;
  },
  ask: asWritten,
  maxOutputTokens: (call) => {
    const { labels, multi } = parametersOf(call, 'classify');
    const one = replyTokens({ kind: 'enum', values: labels.map(({ label }) => label) });
    return multi ? labels.reduce((sum, { label }) => sum + 4 + 2 * label.length, one) : one;
  },
  decode: (reply, call) => {
    const { labels, multi } = parametersOf(call, 'classify');
    const decoded = decodeAnswer(reply, call.output);
    if (!decoded.ok || !multi) return decoded;
    const chosen = new Set(decoded.value as readonly JsonValue[]);
    return { ok: true, value: labels.map(({ label }) => label).filter((label) => chosen.has(label)) };
  },
  check: checkLabels,
};

function labelLine({ label, description }: Label): string {
  return `- ${label}${description === undefined ? '' : `: ${description}`}`;
}

function checkLabels(call: SemanticCall): void {
  const { labels, multi } = parametersOf(call, 'classify');
  const names = labels.map(({ label }) => label);
  if (names.length < 2) throw badCall(call, `A classification needs at least two labels, got ${names.length}.`);
  if (names.length > maxLabels) {
    throw badCall(
      call,
      `A classification takes at most ${maxLabels} labels, got ${names.length}.`,
      'Classify in two steps.',
    );
  }
  const odd = names.find((name) => name.trim() === '' || name.length > maxLabelLength);
  if (odd !== undefined) {
    throw badCall(call, `The label ${JSON.stringify(odd)} is empty or longer than ${maxLabelLength} characters.`);
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badCall(call, `The label ${JSON.stringify(twice)} is given twice.`);
  const type = multi && call.output.kind === 'list' ? call.output.item : call.output;
  const fits = type.kind === 'enum' && (multi ? call.output.kind === 'list' : true);
  if (!fits || type.values.join('\n') !== names.join('\n')) {
    throw badCall(call, `A classification answers ${multi ? 'a list of its labels' : 'one of its labels'}.`);
  }
}
