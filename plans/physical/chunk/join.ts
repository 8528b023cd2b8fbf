/** From the answers for the parts of a text to the answer for the whole. */
import { estimateTokens } from '../../cost/tokens.js';
import type { OperatorKind, SemanticCall } from '../../operators/call.js';
import { answerType } from '../../operators/explanation.js';
import type { OutputType } from '../../operators/output.js';
import type { JsonValue } from '../../protocol/json.js';
import { longestInput, type Piece } from './pieces.js';

/** `ask`: the model joins them. `fields`: field by field. `text`: one after the other. */
export type Joining = 'ask' | 'fields' | 'text';

const joinings: Readonly<Partial<Record<OperatorKind, Joining>>> = { extract: 'fields', translate: 'text' };

export function joiningOf({ parameters }: SemanticCall): Joining {
  return joinings[parameters.kind] ?? 'ask';
}

/** Translations of the parts, with the white space that stood between the parts. */
export function joinTexts(answers: readonly JsonValue[], pieces: readonly Piece[]): string {
  return answers
    .map((answer, at) => `${textOf(answer)}${pieces[at]?.gap ?? ''}`)
    .join('')
    .trim();
}

type Fields = Readonly<Record<string, JsonValue>>;

/**
 * One struct out of those of the parts: of a list, what any part holds, each item once; of any other field, what the first
 * part says that says something. With explanations, those of the parts that state something.
 */
export function joinFields(answers: readonly JsonValue[], call: SemanticCall): JsonValue {
  const type = answerType(call);
  const structs = answers.map((answer) => (call.guidance?.explain === true ? (answer as Fields)['answer'] : answer));
  const joined = mergeStructs(structs as readonly Fields[], type);
  if (call.guidance?.explain !== true) return joined;
  const telling = answers.filter((_, at) => Object.values(structs[at] as Fields).some(isStated));
  const reasons = (telling.length === 0 ? answers.slice(0, 1) : telling).map((answer) =>
    textOf((answer as Fields)['explanation'] ?? ''),
  );
  return { answer: joined, explanation: reasons.join(' ') };
}

function mergeStructs(structs: readonly Fields[], type: OutputType): JsonValue {
  if (type.kind !== 'struct') return structs[0] ?? null;
  return Object.fromEntries(
    type.fields.map(({ name, type: field }) => {
      const stated = structs.map((struct) => struct[name] ?? null).filter(isStated);
      if (field.kind === 'list') return [name, stated.length === 0 ? (structs[0]?.[name] ?? null) : union(stated)];
      if (field.kind === 'struct' && stated.length > 0) return [name, mergeStructs(stated as readonly Fields[], field)];
      return [name, stated[0] ?? null];
    }),
  );
}

function isStated(value: JsonValue): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}

function union(lists: readonly JsonValue[]): JsonValue {
  const items = (lists as readonly (readonly JsonValue[])[]).flat();
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Answers for consecutive parts that are joined by one call. */
export interface Group {
  readonly answers: readonly JsonValue[];
  /** The tuple with the answers in place of its long text. */
  readonly values: readonly string[];
}

/** `[Part 12 of 34]` and the lines around it. */
const tokensAroundAnswer = 8;

/**
 * Answers for consecutive parts in groups of at most `most` tokens; at least two in each but the last, so that the number
 * of answers falls with each round.
 */
export function groupAnswers(values: readonly string[], answers: readonly JsonValue[], most: number): readonly Group[] {
  const { at } = longestInput(values);
  const groups: JsonValue[][] = [];
  let tokens = 0;
  for (const answer of answers) {
    const more = estimateTokens(textOf(answer)) + tokensAroundAnswer;
    const last = groups.at(-1);
    if (last !== undefined && (last.length < 2 || tokens + more <= most)) {
      last.push(answer);
      tokens += more;
    } else {
      groups.push([answer]);
      tokens = more;
    }
  }
  return groups.map((group) => {
    const value = group.map((answer, n) => `[Part ${n + 1} of ${group.length}]\n${textOf(answer)}`).join('\n\n');
    return { answers: group, values: values.map((other, index) => (index === at ? value : other)) };
  });
}

function textOf(answer: JsonValue): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}
