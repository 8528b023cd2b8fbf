/** Reads the prompts of joins as a model would. */

interface Candidate {
  readonly id: string;
  /** Value of its only input. */
  readonly text: string;
}

/** What a prompt for the matches of one value asks; undefined for any other prompt. */
export interface MatchPrompt {
  readonly shared: string;
  readonly candidates: readonly Candidate[];
  /** Number of the input that the candidates are values of: 1 or 2. */
  readonly side: 1 | 2;
}

const candidate = /^Candidate ([a-z]+)\n\[(\d)\]:\n<data>\n([\s\S]*?)\n<\/data>\n\n/gm;

export function matchPrompt(prompt: string): MatchPrompt | undefined {
  const found = [...prompt.matchAll(candidate)];
  const [first] = found;
  if (first === undefined) return undefined;
  const rest = prompt.slice((found.at(-1)?.index ?? 0) + (found.at(-1)?.[0].length ?? 0));
  return {
    shared: /<data>\n([\s\S]*?)\n<\/data>/.exec(rest)?.[1] ?? '',
    candidates: found.map(([, id = '', , text = '']) => ({ id, text })),
    side: first[2] === '1' ? 1 : 2,
  };
}

/** The two values of a prompt about one pair. */
export function pairPrompt(prompt: string): readonly [string, string] {
  const [first = '', second = ''] = Array.from(
    prompt.matchAll(/<data>\n([\s\S]*?)\n<\/data>/g),
    ([, text = '']) => text,
  );
  return [first, second];
}
