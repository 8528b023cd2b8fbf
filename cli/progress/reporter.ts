/** What is shown on stderr while a run goes on. */
import type { RunProgress } from '../../plans/protocol/run.js';
import type { Output } from '../io.js';
import { fit } from '../render/width.js';
import { etaMeter } from './eta.js';
import { progressLines } from './lines.js';

export interface ProgressReporter {
  update(progress: RunProgress): Promise<void>;
  /** A remark on a line of its own, e.g. the run id. */
  note(text: string): Promise<void>;
  /** Leaves what is shown in a state that other text may follow. */
  end(): Promise<void>;
}

export const progressKinds = ['auto', 'plain', 'json', 'none'] as const;
export type ProgressKind = (typeof progressKinds)[number];

interface Surroundings {
  readonly stderr: Output;
  readonly now: () => number;
}

/** Least time between two plain reports. */
const plainMs = 5_000;

/** Redraws its lines in place. */
function live({ stderr }: Surroundings): ProgressReporter {
  const meter = etaMeter();
  let drawn: readonly string[] = [];
  const erase = (): string => (drawn.length === 0 ? '' : `\u001b[${drawn.length}A\r\u001b[J`);
  const draw = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  return {
    async update(progress) {
      meter.add(progress);
      const width = (stderr.columns ?? 80) - 1;
      const lines = [phaseLine(progress), ...progressLines(progress, meter)].map((line) => fit(line, width));
      const text = erase() + draw(lines);
      drawn = lines;
      await stderr.write(text);
    },
    async note(text) {
      await stderr.write(`${erase()}${text}\n${draw(drawn)}`);
    },
    end() {
      drawn = [];
      return Promise.resolve();
    },
  };
}

function phaseLine(progress: RunProgress): string {
  const seconds = Math.max(0, Math.round((progress.updatedAt - progress.startedAt) / 1000));
  return `${progress.phase} · ${seconds} s`;
}

/** Whole lines, only when something changed and not more often than every five seconds. */
function plain({ stderr, now }: Surroundings): ProgressReporter {
  const meter = etaMeter();
  let lastAt = Number.NEGATIVE_INFINITY;
  let printed = '';
  let held: string | undefined;
  async function print(text: string): Promise<void> {
    held = undefined;
    if (text === printed || text === '') return;
    printed = text;
    lastAt = now();
    await stderr.write(text);
  }
  return {
    async update(progress) {
      meter.add(progress);
      const text = progressLines(progress, meter)
        .map((line) => `${line}\n`)
        .join('');
      if (now() - lastAt >= plainMs) await print(text);
      else held = text;
    },
    async note(text) {
      await stderr.write(`${text}\n`);
    },
    async end() {
      if (held !== undefined) await print(held);
    },
  };
}

/** JSON lines `{"schema":"fermata/progress/1","event":…}` for programs. */
function json({ stderr }: Surroundings): ProgressReporter {
  const emit = (event: string, body: object): Promise<void> =>
    stderr.write(`${JSON.stringify({ schema: 'fermata/progress/1', event, ...body })}\n`);
  return {
    update: (progress) => emit('progress', progress),
    note: (text) => emit('note', { text }),
    end: () => Promise.resolve(),
  };
}

/** Remarks only. */
function none({ stderr }: Surroundings): ProgressReporter {
  return {
    update: () => Promise.resolve(),
    note: (text) => stderr.write(`${text}\n`),
    end: () => Promise.resolve(),
  };
}

const reporters = {
  auto: (around) => (around.stderr.tty ? live(around) : plain(around)),
  plain,
  json,
  none,
} as const satisfies Record<ProgressKind, (around: Surroundings) => ProgressReporter>;

export function progressReporter(kind: ProgressKind, around: Surroundings): ProgressReporter {
  return reporters[kind](around);
}
