/** A tuple with a long text as tuples with its parts: split and gather, as in DocETL (arXiv 2410.12189, §3.1). */
import { promptTokens } from '../../cost/price.js';
import { estimateTokens } from '../../cost/tokens.js';
import type { SemanticCall } from '../../operators/call.js';
import { semanticOperators } from '../../operators/registry.js';
import { buildRequest } from '../../operators/request.js';
import { longestTranslated, translationGrowth } from '../../operators/translate.js';
import { FermataError } from '../../protocol/errors.js';
import { cutText, headOf, tailOf } from './cut.js';

/** Fewest tokens of a part: with less a part makes no sense. */
export const leastPartTokens = 64;

/** Throws `BadArgument` for a size that is no whole number of at least 64 tokens. */
export function checkPartTokens(tokens: number): void {
  if (Number.isInteger(tokens) && tokens >= leastPartTokens) return;
  throw new FermataError('BadArgument', `the size of a part is ${tokens} tokens`, {
    hint: `give a whole number of at least ${leastPartTokens}`,
  });
}

/** An estimate of tokens may be too low by so much; a prompt that is refused all the same is cut again. */
const margin = 1.25;
/** What is gathered around a part, as a share of it and at most, in tokens: from the start, before it and after it. */
const gathered = {
  start: { share: 0.06, most: 120 },
  before: { share: 0.08, most: 160 },
  after: { share: 0.04, most: 80 },
};
const gatheredShare = gathered.start.share + gathered.before.share + gathered.after.share;

/** Number of the longest input, and its tokens as estimated. */
export function longestInput(values: readonly string[]): { readonly at: number; readonly tokens: number } {
  return values
    .map((value, at) => ({ at, tokens: estimateTokens(value) }))
    .reduce((longest, next) => (next.tokens > longest.tokens ? next : longest), { at: 0, tokens: 0 });
}

/**
 * Most tokens of a part of the longest input: what was asked for, and what the model's context leaves beside the
 * instruction, the other inputs, what is gathered and the answer. Undefined where neither is known.
 */
export function partTokens(
  call: SemanticCall,
  values: readonly string[],
  limits: { readonly tokens?: number; readonly contextTokens?: number },
): number | undefined {
  const { at } = longestInput(values);
  const others = values.map((value, index) => (index === at ? '' : value));
  const known = [limits.tokens];
  const isTranslation = call.parameters.kind === 'translate';
  if (isTranslation) known.push(longestTranslated);
  if (limits.contextTokens !== undefined) {
    const answer = semanticOperators[call.parameters.kind].maxOutputTokens(call, others);
    const room = limits.contextTokens - answer - margin * promptTokens(buildRequest(partCall(call), others));
    const each = margin * (1 + gatheredShare) + (isTranslation ? translationGrowth : 0);
    known.push(Math.max(leastPartTokens, Math.floor(room / each)));
  }
  const bounds = known.filter((bound) => bound !== undefined);
  return bounds.length === 0 ? undefined : Math.min(...bounds);
}

/** Part of a tuple, as a tuple of its own. */
export interface Piece {
  readonly values: readonly string[];
  /** White space behind it. */
  readonly gap: string;
}

/** The call that asks about one part. */
export function partCall(call: SemanticCall): SemanticCall {
  return instructed(
    call,
    'The data are one part of a long text, under its heading in square brackets. Work on that part alone; what stands under the other headings only helps to understand it.',
  );
}

/** The call that answers for the whole from the answers for its parts. */
export function joinCall(call: SemanticCall): SemanticCall {
  return instructed(
    call,
    'In place of a long text, the data are the answers that were given for its consecutive parts. Give the one answer for the whole text that follows from them: join what they say, each thing once, and do not speak of parts.',
  );
}

function instructed(call: SemanticCall, text: string): SemanticCall {
  const own = call.guidance?.instructions;
  return { ...call, guidance: { ...call.guidance, instructions: own === undefined ? text : `${own}\n\n${text}` } };
}

/**
 * The tuple in parts of at most `most` tokens of its longest input, each with the beginning of the text and a few sentences
 * around it. The other inputs stand whole in each.
 */
export function cutTuple(values: readonly string[], most: number): readonly Piece[] {
  const { at } = longestInput(values);
  const parts = cutText(values[at] ?? '', most);
  const room = (name: keyof typeof gathered): number =>
    Math.min(gathered[name].most, Math.floor(gathered[name].share * most));
  const start = headOf(parts[0]?.text ?? '', room('start'));
  return parts.map(({ text, gap }, n) => {
    const sections = [
      // The second part sees the end of the first anyhow.
      ...(n > 0 ? [['Start of the text', start]] : []),
      ...(n > 0 ? [['Just before', tailOf(parts[n - 1]?.text ?? '', room('before'))]] : []),
      [`Part ${n + 1} of ${parts.length}`, text],
      ...(n + 1 < parts.length ? [['Just after', headOf(parts[n + 1]?.text ?? '', room('after'))]] : []),
    ];
    const value = sections
      .filter(([, body]) => body !== '')
      .map(([title, body]) => `[${title}]\n${body}`)
      .join('\n\n');
    return { values: values.map((other, index) => (index === at ? value : other)), gap };
  });
}
