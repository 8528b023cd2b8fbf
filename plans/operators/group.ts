import type { JsonValue } from '../protocol/json.js';
import { checkTexts } from './aggregate.js';
import { decodeAnswer } from './decode.js';
import { asWritten, badCall, type Decoded, parametersOf, type SemanticOperator } from './operator.js';

/** Most labels that a group-by finds: as many as a classification takes. */
export const maxGroups = 250;
const maxLabelLength = 200;
/** Labels to make room for where their number is left to the model. */
const usualGroups = 20;
const tokensPerLabel = 24;

/** `AI_GROUP`, its first step: labels for a sample of items. Input: the packed items. */
export const group: SemanticOperator = {
  system: () =>
    'Find short labels that sort items into groups by meaning. Labels are a few words each, differ clearly, and cover all ' +
    'items. Reply with JSON: {"answer": ["label", ...]}.',
  ask: asWritten,
  render: ([items = ''], call) => {
    const { count, instruction } = parametersOf(call, 'group');
    const labels = count === undefined ? 'labels' : count === 1 ? 'the one label' : `exactly ${count} labels`;
    const by = instruction === undefined ? '' : `\nSort by this: ${instruction}`;
    return `${items}\n\nGive ${labels} for sorting items like these.${by}`;
  },
  maxOutputTokens: (call) => 40 + tokensPerLabel * (parametersOf(call, 'group').count ?? usualGroups),
  decode: (reply, call) => {
    const decoded = decodeAnswer(reply, { kind: 'list', item: { kind: 'string' } });
    return decoded.ok
      ? cleaned(decoded.value as readonly JsonValue[], parametersOf(call, 'group').count ?? maxGroups)
      : decoded;
  },
  check: (call) => {
    const { count, instruction } = parametersOf(call, 'group');
    if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= maxGroups)) {
      throw badCall(call, `A group-by finds 1 to ${maxGroups} labels, got ${count}.`);
    }
    if (instruction?.trim() === '') throw badCall(call, 'The instruction of a group-by is empty.');
    checkTexts(call);
  },
};

/** Labels without blanks and repeats, at most `most`. */
function cleaned(proposed: readonly JsonValue[], most: number): Decoded {
  const labels = new Map<string, string>();
  for (const item of proposed) {
    const label = typeof item === 'string' ? item.trim() : '';
    if (label.length > maxLabelLength)
      return { ok: false, problem: `A label is longer than ${maxLabelLength} characters.` };
    if (label !== '' && !labels.has(label.toLowerCase())) labels.set(label.toLowerCase(), label);
  }
  if (labels.size === 0) return { ok: false, problem: 'The list holds no label.' };
  return { ok: true, value: [...labels.values()].slice(0, most) };
}
