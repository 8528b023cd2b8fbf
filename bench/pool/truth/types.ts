/** What the pool knows: rows with their true fields, and the questions that can be asked about them. All of it is JSON. */
import type { JsonValue } from '../../../plans/protocol/json.js';

export interface TruthTuple {
  /** Unique in its collection; seeds the row's difficulty and errors. */
  readonly id: string;
  readonly collection: string;
  /** Texts of cells as they may stand in a prompt; a row may be known by any of them. */
  readonly values: readonly string[];
  /** Lower-case hex SHA-256 of its images and clips, as they are and as they are after resizing or conversion. */
  readonly media?: readonly string[];
  /** True answers by field name. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** By field: how plainly the label holds, in [0,1], from what is known beside the label; 0.5 where nothing is. */
  readonly evidence?: Readonly<Record<string, number>>;
  /** Class that embeddings of the row come near. */
  readonly about?: string;
  /** What is said in its clip. */
  readonly transcript?: string;
}

/** How the true answer of a task comes out of fields. */
export type TruthRule =
  /** The field itself: a label, number, text or list. */
  | {
      readonly rule: 'field';
      readonly field: string;
      /** Other words for its values, as labels of a prompt may have them. */
      readonly labels?: Readonly<Record<string, readonly string[]>>;
      /** Scale that its numbers are on; put on the scale that is asked for. */
      readonly range?: readonly [number, number];
    }
  /** Whether the field is, or lists, one of these values. */
  | { readonly rule: 'test'; readonly field: string; readonly in: readonly JsonValue[] }
  /** Whether two rows match; `includes`: the left field is a list that holds the right one. */
  | {
      readonly rule: 'pair';
      readonly left: string;
      readonly right: string;
      readonly relation: 'equal' | 'different' | 'includes';
    }
  /** Which rows rank first by a numeric field. */
  | {
      readonly rule: 'rank';
      readonly field: string;
      readonly ascending?: boolean;
      readonly range?: readonly [number, number];
    };

export interface TruthTask {
  readonly key: string;
  /** Where its rows are; a pair has the left and the right collection. */
  readonly collections: readonly [string] | readonly [string, string];
  /** One word or phrase of each group must stand in the prompt outside the data, in any case. None: fits any prompt. */
  readonly intent: readonly (readonly string[])[];
  readonly truth: TruthRule;
  /** Added to the difficulty of every row; default 0. */
  readonly harder?: number;
}

export interface TruthData {
  readonly tuples: readonly TruthTuple[];
  readonly tasks: readonly TruthTask[];
}
