/** Runs the `fermata` command inside the test: captured streams, a Ctrl-C to press, services to replace. */
import type { Fermata } from '../../client/api.js';
import type { Io, Output } from '../../cli/io.js';
import { runCli } from '../../cli/program.js';
import type { Services } from '../../cli/services.js';
import type { Settings } from '../../workers/config/settings.js';

export interface Captured extends Output {
  text(): string;
  bytes(): Uint8Array;
}

export function captured(columns?: number): Captured {
  const chunks: Buffer[] = [];
  return {
    write(chunk) {
      chunks.push(Buffer.from(chunk as string));
      return Promise.resolve();
    },
    tty: columns !== undefined,
    columns,
    text: () => Buffer.concat(chunks).toString('utf8'),
    bytes: () => new Uint8Array(Buffer.concat(chunks)),
  };
}

export interface FakeCli {
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly asked: string[];
  run(...args: string[]): Promise<number>;
  pressCtrlC(): void;
  /** As SIGTERM does. */
  terminate(): void;
  readonly listening: () => number;
}

export interface FakeCliOptions {
  readonly fermata?: Fermata;
  readonly services?: Partial<Services>;
  readonly settings?: Partial<Settings>;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** A person who answers this. */
  readonly answer?: string;
  readonly cwd?: string;
  readonly stdoutColumns?: number;
  readonly stderrColumns?: number;
  /** Called when the command starts to wait for a second Ctrl-C. */
  readonly onSleep?: () => void;
  /** Called at each interrupt listener that is set up. */
  readonly onListen?: () => void;
}

export const fakeSettings: Settings = {
  projectDir: '/project',
  home: '/project/.fermata',
  modelsDir: '/models',
  store: { kind: 'local', dir: '/project/.fermata/store' },
  ledger: { kind: 'lmdb', dir: '/project/.fermata/ledger' },
  models: {},
  defaults: { llm: 'small', embedder: 'minilm' },
  limits: { confirmAboveUsd: 1, maxErrorRatio: 0.05 },
};

export function fakeCli(options: FakeCliOptions = {}): FakeCli {
  const stdout = captured(options.stdoutColumns);
  const stderr = captured(options.stderrColumns);
  const asked: string[] = [];
  const listeners = new Set<() => void>();
  const terminations = new Set<() => void>();
  const io: Io = {
    stdout,
    stderr,
    env: options.env ?? {},
    cwd: options.cwd ?? '/project',
    interactive: options.answer !== undefined,
    readStdin: () => Promise.resolve(options.stdin ?? ''),
    ask(question) {
      asked.push(question);
      return Promise.resolve(options.answer ?? '');
    },
    onInterrupt(listener) {
      listeners.add(listener);
      options.onListen?.();
      return () => listeners.delete(listener);
    },
    onTerminate(listener) {
      terminations.add(listener);
      return () => terminations.delete(listener);
    },
    now: () => 0,
    sleep(_ms, signal) {
      options.onSleep?.();
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        setImmediate(resolve);
        signal?.addEventListener('abort', () => resolve());
      });
    },
  };
  const unscripted = (): never => {
    throw new Error('this service is not part of the test');
  };
  const services: Services = {
    connect: () => Promise.resolve(options.fermata ?? unscripted()),
    settings: () => Promise.resolve({ settings: { ...fakeSettings, ...options.settings }, origins: {} }),
    up: unscripted,
    down: unscripted,
    stack: unscripted,
    work: unscripted,
    serverBinary: unscripted,
    pollers: unscripted,
    weights: unscripted,
    pull: unscripted,
    verify: unscripted,
    ledger: unscripted,
    store: unscripted,
    toParquet: unscripted,
    describe: unscripted,
    duckdbVersion: unscripted,
    fetch: unscripted,
    ...options.services,
  };
  return {
    stdout,
    stderr,
    asked,
    run: (...args) => runCli(args, io, services),
    pressCtrlC: () => listeners.forEach((listener) => listener()),
    terminate: () => terminations.forEach((listener) => listener()),
    listening: () => listeners.size,
  };
}
