/** Pulling weights with a line of progress on stderr. */
import type { Context } from './context.js';
import { bytes, percent } from './render/numbers.js';
import { fit } from './render/width.js';

/** Least time between two lines where there is no terminal to redraw. */
const plainMs = 5_000;
const liveMs = 200;

/** Pulls one entry of the manifest; resumes what an earlier pull left. */
export async function pullWithProgress(context: Context, name: string, dir: string, from?: string): Promise<void> {
  const { stderr } = context.io;
  const every = stderr.tty ? liveMs : plainMs;
  const silent = context.quiet || context.machine;
  let last = Number.NEGATIVE_INFINITY;
  const pulling = context.services.pull(name, {
    dir,
    ...(from === undefined ? {} : { from }),
    onProgress: (step) => {
      const now = context.io.now();
      if (silent || (now - last < every && step.doneBytes < step.totalBytes)) return;
      last = now;
      const share = step.totalBytes === 0 ? 1 : step.doneBytes / step.totalBytes;
      const line = `${name}: ${bytes(step.doneBytes)} of ${bytes(step.totalBytes)} (${percent(share)}) ${step.note}`;
      void stderr.write(stderr.tty ? `\r\u001b[K${fit(line, (stderr.columns ?? 80) - 1)}` : `${line}\n`);
    },
  });
  try {
    await pulling;
  } finally {
    if (stderr.tty && !silent) await stderr.write('\r\u001b[K');
  }
  await context.note(`${name} is ready`);
}
