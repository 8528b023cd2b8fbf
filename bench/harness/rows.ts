/** Rows to ask about: reviews of about 200 characters, made from a seedless counter, so that every run has the same. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { positiveWord } from './endpoint.js';

export interface RowsOptions {
  readonly rows: number;
  /** Distinct texts among them; default all. */
  readonly distinct?: number;
  /** Makes the texts of one run its own, so that no run answers another's. */
  readonly tag: string;
}

/** Every eighth text is one that the endpoint answers with yes. */
export const positiveEvery = 8;

const filler = 'The second half drags, the music is fine, and the cast does what the script lets it do. ';

export function reviewText(n: number, tag: string): string {
  const verdict = n % positiveEvery === 0 ? positiveWord : 'pleasant';
  return `Review ${n} (${tag}): a ${verdict} film. ${filler}${filler}`;
}

/** Positive rows among `rows` rows of `distinct` texts. */
export function positives({ rows, distinct = rows }: RowsOptions): number {
  let sum = 0;
  for (let id = 0; id < rows; id++) if ((id % distinct) % positiveEvery === 0) sum += 1;
  return sum;
}

/** Writes a CSV of `id` and `text`. */
export async function writeReviews(path: string, options: RowsOptions): Promise<void> {
  const { rows, distinct = rows, tag } = options;
  const out = createWriteStream(path);
  out.write('id,text\n');
  for (let id = 0; id < rows; id++) {
    if (!out.write(`${id},"${reviewText(id % distinct, tag)}"\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}
