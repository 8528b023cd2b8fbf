/** From a prompt to the rows in it: sightings of values and media, put together row by row. */
import type { Piece } from '../serve/request.js';
import type { KnownTuple, Truth } from './registry.js';
import { wordsOf } from './words.js';

/** One row in a prompt. */
export interface Item {
  readonly tuple: KnownTuple;
  /** How the prompt names it, such as `3` for `[3]:`; undefined where it does not. */
  readonly mark: string | undefined;
}

export interface Prompt {
  readonly items: readonly Item[];
  /** What is said beside the data, in lower case: the question, instructions, labels. */
  readonly question: string;
  /** Texts that the question holds in their own case, for reading a form of reply out of it. */
  readonly raw: string;
}

interface Group {
  candidates: readonly KnownTuple[];
  readonly values: Set<number | string>;
  readonly mark: string | undefined;
}

/** `Item wkt`, `Candidate wkt`, `[3]:`, `3.`, `3)`, `"id": "r7"`, `<row id="7">`, `Review 3:`, and then only punctuation and fences. */
const markPattern =
  /(?:(?:item|candidate) ([a-z]{3})\b(?:\s*\[\d+\]:)?|\[([\w-]{1,24})\]|["']?(?:id|index|row|key|number)["']?\s*[:=]\s*["']?([\w-]{1,24})["']?|(?:^|\n)\s*(?:[\w ]{0,20}\s)?#?(\d{1,6})\s*[.):])[\s"':,>.-]*(?:<\w+\d*>|["']?\w+["']?\s*[:=])?[\s"']*$/;
const markReach = 80;

function markBefore(text: string, start: number, from: number): string | undefined {
  const match = markPattern.exec(text.slice(Math.max(from, start - markReach), start));
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? match?.[4];
}

/**
 * Neighbouring values of one row are one item; a value that cannot be of the row before it, or that row's value again,
 * begins the next. Values that several rows share stand for the first of them.
 */
export function readPrompt(truth: Truth, pieces: readonly Piece[], system: string): Prompt {
  const groups: Group[] = [];
  let question = '';
  let raw = '';
  let lastText = '';
  const see = (key: number | string, tuples: readonly KnownTuple[], mark: string | undefined): void => {
    const group = groups.at(-1);
    const both = group === undefined || group.values.has(key) ? [] : shared(group.candidates, tuples);
    if (group !== undefined && both.length > 0) {
      group.candidates = both;
      group.values.add(key);
    } else groups.push({ candidates: tuples, values: new Set([key]), mark });
  };
  for (const piece of pieces) {
    if (piece.kind !== 'text') {
      const tuple = truth.byMedia(piece.sha256);
      if (tuple !== undefined) see(piece.sha256, [tuple], markBefore(lastText, lastText.length, 0));
      lastText = '';
      continue;
    }
    const words = wordsOf(piece.text);
    let end = 0;
    for (const sighting of truth.sightings(words)) {
      see(sighting.value, sighting.tuples, markBefore(words.text, sighting.start, end));
      question += `${words.text.slice(end, sighting.start)} \u0000 `;
      end = sighting.end;
    }
    lastText = words.text.slice(end);
    question += `${lastText}\n`;
    raw += `${piece.text}\n`;
  }
  const items = groups.flatMap(({ candidates, mark }) => {
    const [tuple] = candidates;
    return tuple === undefined ? [] : [{ tuple, mark }];
  });
  return { items, question: `${question}\n${wordsOf(system).text}`, raw: `${system}\n${raw}` };
}

function shared(a: readonly KnownTuple[], b: readonly KnownTuple[]): readonly KnownTuple[] {
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  const set = new Set(few);
  return many.filter((tuple) => set.has(tuple));
}
