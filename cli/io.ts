import { createInterface } from 'node:readline';

/** Where text or bytes go. Writing waits until the stream takes more, so a slow reader slows us and memory stays flat. */
export interface Output {
  write(chunk: string | Uint8Array): Promise<void>;
  readonly tty: boolean;
  /** Width in columns; undefined when it is not a terminal. */
  readonly columns: number | undefined;
}

/** Everything by which the command touches the process that it runs in; tests bring their own. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
  readStdin(): Promise<string>;
  /** Asks on stderr and resolves to the line typed; empty at end of input. */
  ask(question: string): Promise<string>;
  /** Calls the listener for each Ctrl-C instead of ending the process; returns the way to stop that. */
  onInterrupt(listener: () => void): () => void;
  /** Calls the listener for SIGTERM instead of ending the process; returns the way to stop that. */
  onTerminate(listener: () => void): () => void;
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Thrown when nobody reads stdout any more (`| head`): a quiet end, not an error. */
export class ReaderGone extends Error {
  constructor() {
    super('the reader of the output has gone');
    this.name = 'ReaderGone';
  }
}

function output(stream: NodeJS.WriteStream): Output {
  let failure: Error | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code === 'EPIPE' ? new ReaderGone() : error;
  });
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        if (failure) {
          reject(failure);
          return;
        }
        stream.write(chunk, (error) => {
          if (!error) resolve();
          else reject((error as NodeJS.ErrnoException).code === 'EPIPE' ? new ReaderGone() : error);
        });
      }),
    get tty() {
      return stream.isTTY;
    },
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
  };
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}

/** The real process. */
export function processIo(): Io {
  return {
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    interactive: process.stdin.isTTY && process.stderr.isTTY,
    readStdin,
    ask,
    onInterrupt(listener) {
      process.on('SIGINT', listener);
      return () => process.off('SIGINT', listener);
    },
    onTerminate(listener) {
      process.on('SIGTERM', listener);
      return () => process.off('SIGTERM', listener);
    },
    now: () => Date.now(),
    sleep,
  };
}
