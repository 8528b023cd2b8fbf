/** Candidate plans on paper: a tree, Markdown with pictures, Graphviz, or JSON. */
import { planDot, planMermaid } from '../../plans/algebra/graph.js';
import { encodePlan } from '../../plans/algebra/json.js';
import { planText } from '../../plans/algebra/text.js';
import type { Candidate } from '../../plans/logical/candidates.js';

/** A candidate with its number in the whole list, from 1. */
export interface Numbered {
  readonly number: number;
  readonly candidate: Candidate;
}

/** `draft 1 → coarse-scan` */
function titleOf({ origin, steps }: Candidate): string {
  return [origin.seed, ...steps.map(({ rule }) => rule)].join(' → ');
}

/** Why a candidate exists: the reason of its seed, then of each rule. */
function reasonsOf({ origin, steps }: Candidate): readonly string[] {
  return [`${origin.seed}: ${origin.why}`, ...steps.map(({ rule, why }) => `${rule}: ${why}`)];
}

const indented = (text: string): string => text.replace(/^/gm, '    ');
/** Intents may hold line ends, which would end a comment or a heading. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

export const candidateFormats = ['text', 'json', 'mermaid', 'dot'] as const;
export type CandidateFormat = (typeof candidateFormats)[number];

/** All of a document but JSON, whose envelope its caller makes. */
export const candidatesAs: Readonly<Record<Exclude<CandidateFormat, 'json'>, (list: readonly Numbered[]) => string>> = {
  text: (list) =>
    list
      .map(({ number, candidate }) =>
        [
          `${number}  ${titleOf(candidate)}`,
          ...reasonsOf(candidate).map((reason) => `   ${reason}`),
          indented(planText(candidate.plan)),
        ].join('\n'),
      )
      .join('\n\n'),
  mermaid: (list) =>
    list
      .map(({ number, candidate }) =>
        [
          `## ${number}. ${oneLine(titleOf(candidate))}`,
          '',
          ...reasonsOf(candidate).map((reason) => `- ${oneLine(reason)}`),
          '',
          '```mermaid',
          planMermaid(candidate.plan),
          '```',
        ].join('\n'),
      )
      .join('\n\n'),
  dot: (list) =>
    list
      .map(({ number, candidate }) =>
        [
          `// ${number}. ${oneLine(titleOf(candidate))}`,
          ...reasonsOf(candidate).map((reason) => `// ${oneLine(reason)}`),
          planDot(candidate.plan),
        ].join('\n'),
      )
      .join('\n'),
};

export function candidateJson({ number, candidate }: Numbered): object {
  const { hash, origin, steps, plan } = candidate;
  return { number, hash, origin, steps, plan: encodePlan(plan) };
}
