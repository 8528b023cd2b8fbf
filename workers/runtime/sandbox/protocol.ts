/** What crosses between a worker and the children of its sandbox: lines of JSON, and nothing else. */

export interface BatchRequest {
  readonly source: string;
  /** Each row as JSON text: it is parsed inside only. */
  readonly rows: readonly string[];
  /** Milliseconds of processor time after which the running row is interrupted. */
  readonly softMs: number;
  /** True: the context of the last batch of the same source serves again. */
  readonly keep?: true;
}

/** Marks of a row's result, its first character: what follows is JSON for `answered`, else a message. */
export const marks = { answered: '=', threw: '!', notJson: '?', tooLarge: '>' } as const;

export interface BatchReply {
  /** Results of the rows that ended, in order. */
  readonly results: readonly string[];
  /** Why the row after them did not; absent when all did. */
  readonly stopped?: 'timeout' | 'memory' | 'not-a-function';
  readonly message?: string;
}

/** Longest JSON text of one row, in UTF-16 units. */
export const maxRowChars = 1_000_000;
/** Longest JSON text of one answer, in UTF-16 units. */
export const maxAnswerChars = 65_536;
/** File descriptor on which a child writes one byte for each row that ended. */
export const progressFd = 3;
