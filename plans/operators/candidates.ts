/** A prompt that asks about many tuples that share some of their values: those stand in it once. */
import { FermataError } from '../protocol/errors.js';
import type { TextPart } from '../protocol/model.js';
import { fence, numberInputs } from './prompt.js';

/** What tuples do not share. */
export interface Candidate {
  /** Unlike any other in the prompt. */
  readonly id: string;
  /** The values of one tuple, by the number of the input. */
  readonly values: readonly string[];
}

/**
 * The candidates first, each under its id, since they are often the same in the next prompt, which prefix caches then serve;
 * behind them what they share, and the question. Pure like `renderPrompt`. `shared` are the numbers of the inputs whose
 * values are those of every candidate.
 *
 * ```
 * Candidate k7f
 * [2]:
 * <data>
 * a value of this candidate
 * </data>
 *
 * [1]:
 * <data>
 * a value that all share
 * </data>
 * ```
 */
export function renderCandidates(
  template: string,
  shared: ReadonlySet<number>,
  candidates: readonly Candidate[],
  ask: (question: string) => string,
): readonly TextPart[] {
  const { question, order } = numberInputs(template);
  const lines = (values: readonly string[], wanted: (index: number) => boolean): readonly string[] =>
    order.flatMap((index, at) => {
      if (!wanted(index)) return [];
      const value = values[index];
      if (value !== undefined) return [`[${at + 1}]:\n${fence(value)}`];
      throw new FermataError('BadArgument', `The prompt names {${index}}, but has ${values.length} inputs.`);
    });
  const items = candidates.map(({ id, values }) =>
    [`Candidate ${id}`, ...lines(values, (index) => !shared.has(index))].join('\n'),
  );
  const common = candidates.slice(0, 1).flatMap(({ values }) => lines(values, (index) => shared.has(index)));
  return [{ type: 'text', text: [...items, ...common, ask(question)].join('\n\n').trimEnd() }];
}
