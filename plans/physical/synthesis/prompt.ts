/** What a model is told when it writes code for an intent, and how its reply is read. */
import type { OutputType } from '../../operators/output.js';
import { choices, replyShape } from '../../operators/shape.js';
import type { JsonValue } from '../../protocol/json.js';
import type { CodeRow } from './code.js';
import { dateHelpers } from './date-helpers.js';
import type { CodeColumn } from './smoke.js';

/** What code is written for. */
export interface CodeTask {
  /** The intent, with its columns as `{column}`. */
  readonly intent: string;
  readonly columns: readonly CodeColumn[];
  readonly output: OutputType;
  /** Rows with the answer that is right, where it is known. */
  readonly samples: readonly { readonly row: CodeRow; readonly answer?: JsonValue }[];
  /** Lines about the data: shares, ranges, frequent values. */
  readonly profile: readonly string[];
}

/** Characters of one sample row that are shown. */
const shownChars = 600;
const mostSamples = 12;

/** Instructions of ours, without data in them. */
export const codeInstructions = [
  'You write one JavaScript function that answers a question about one row of a table, by rules alone.',
  'Reply with the function in a ```js fence and nothing else. It must be one function expression: `(row) => { … }`.',
  'It returns null where the rules cannot tell, else {answer, confidence}; confidence, from 0 to 1, is how sure the rule is.',
  'A wrong answer costs more than null: answer only the rows that the rules decide.',
  'Plain JavaScript without import, async, Date, randomness, network or files; at most 8 KB; no state from row to row.',
  'Values may be null, empty or odd: never throw. Keep regular expressions free of nested repetition.',
  `For dates there are: ${Object.values(dateHelpers).join('; ')}.`,
].join('\n');

/** The prompt of the first attempt. */
export function codePrompt({ intent, columns, output, samples, profile }: CodeTask): string {
  const shape = replyShape(output).replaceAll('{"answer": ', '{answer: ');
  return [
    `Question: ${intent}`,
    `Columns of row: ${columns.map(({ name, kind }) => `${JSON.stringify(name)} (${kind})`).join(', ')}`,
    `Answer: ${shape}`,
    ...choices(output),
    ...(profile.length > 0 ? ['About the data:', ...profile.map((line) => `- ${line}`)] : []),
    ...(samples.length > 0 ? ['Rows:', ...samples.slice(0, mostSamples).map(sampleLine)] : []),
  ].join('\n');
}

/** The prompt of a further attempt: the one before, what was wrong with it, and the task again. */
export function repairCodePrompt(task: CodeTask, source: string, problems: readonly string[]): string {
  return [
    codePrompt(task),
    'Your last function:',
    '```js',
    source,
    '```',
    'It cannot be used:',
    ...problems.map((problem) => `- ${problem}`),
    'Write it again, whole.',
  ].join('\n');
}

function sampleLine({ row, answer }: CodeTask['samples'][number]): string {
  const text = JSON.stringify(row);
  const cut = text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
  return answer === undefined ? cut : `${cut} → ${JSON.stringify(answer)}`;
}

/** The function in a reply: what is in its last fence, or the whole reply; without a closing semicolon. */
export function codeOfReply(reply: string): string {
  const fences = [...reply.matchAll(/```[a-z]*\s*\n([\s\S]*?)```/gi)];
  const source = fences.at(-1)?.[1] ?? reply;
  return source.trim().replace(/;+$/, '').trim();
}
