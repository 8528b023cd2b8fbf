/** Ties an error to the SQL text that it speaks of, so that the line and a caret can be printed. */
import { FermataError } from '../plans/protocol/errors.js';

const texts = new WeakMap<FermataError, string>();

/** Runs `work`; an error of ours that leaves it remembers the SQL. */
export async function withSql<T>(sql: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (FermataError.is(error)) texts.set(error, sql);
    throw error;
  }
}

/** The SQL that the error's position points into, where known. */
export function sqlOf(error: unknown): string | undefined {
  return FermataError.is(error) ? texts.get(error) : undefined;
}
