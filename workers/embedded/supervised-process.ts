import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../telemetry/logger.js';
import type { ProcessState, ProcessStatus } from './control-protocol.js';
import { lastLines, logSize, openLog } from './log-files.js';
import { identify, type ProcessIdentity } from './process-identity.js';
import type { StackTimings } from './stack-plan.js';

/** One start of a process. */
export interface ProcessStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** With a message channel, whose closing tells the process that its supervisor is gone. */
  readonly channel: boolean;
}

export interface ProcessSpec {
  readonly name: string;
  /** Absent: what it writes goes to this process's stderr. */
  readonly log?: string;
  /** Asked before each start, so that a restart may use what has changed. */
  readonly prepare: () => ProcessStart | Promise<ProcessStart>;
  /** Resolves when this start is ready to serve; must give up when `ended` aborts. */
  readonly ready: (child: ChildProcess, logFrom: number, ended: AbortSignal) => Promise<void>;
  /** A start that is not ready by then is killed and started again. Absent: it may take its time, e.g. to load a model. */
  readonly readyLimitMs?: number;
  readonly stopMs: number;
}

const shownLines = 12;

/** A process that is started again whenever it ends, with growing pauses, until it is stopped. */
export class SupervisedProcess {
  readonly name: string;
  readonly #spec: ProcessSpec;
  readonly #timings: StackTimings;
  readonly #log: Logger;
  readonly #changed: () => void;
  readonly #stopping = new AbortController();
  readonly #finished: Promise<void>;
  #state: ProcessState = 'starting';
  #child: ChildProcess | undefined;
  #identity: ProcessIdentity | undefined;
  #failures = 0;
  #restarts = 0;
  #lastExit: string | undefined;
  #logFrom = 0;

  /** Starts at once. `changed` is called when a process has begun or ended, so that its pid can be written down. */
  constructor(spec: ProcessSpec, timings: StackTimings, log: Logger, changed: () => void) {
    this.name = spec.name;
    this.#spec = spec;
    this.#timings = timings;
    this.#log = log.child({ child: spec.name });
    this.#changed = changed;
    this.#finished = this.#keepRunning();
  }

  get identity(): ProcessIdentity | undefined {
    return this.#identity;
  }

  get state(): ProcessState {
    return this.#state;
  }

  status(): ProcessStatus {
    const { log } = this.#spec;
    const calm = this.#state === 'ready' || this.#state === 'stopping' || this.#state === 'stopped';
    return {
      name: this.name,
      state: this.#state,
      ...(this.#identity === undefined ? {} : { pid: this.#identity.pid }),
      restarts: this.#restarts,
      ...(this.#lastExit === undefined ? {} : { lastExit: this.#lastExit }),
      log: log ?? 'stderr',
      lastLines: calm || log === undefined ? [] : lastLines(log, shownLines, this.#logFrom),
    };
  }

  /** SIGTERM, then SIGKILL after the limit of the spec; resolves when the process is gone and will not come back. */
  async stop(): Promise<void> {
    if (!this.#isStopping()) {
      this.#state = 'stopping';
      this.#stopping.abort();
      this.#child?.kill('SIGTERM');
    }
    const escalate = setTimeout(() => this.#child?.kill('SIGKILL'), this.#spec.stopMs);
    await this.#finished;
    clearTimeout(escalate);
  }

  async #keepRunning(): Promise<void> {
    while (!this.#isStopping()) {
      const began = performance.now();
      this.#lastExit = await this.#runOnce().catch((error: unknown) => String(error));
      if (this.#isStopping()) break;
      this.#failures = performance.now() - began >= this.#timings.healthyAfterMs ? 1 : this.#failures + 1;
      this.#restarts += 1;
      this.#state = this.#isLooping() ? 'crash-loop' : 'waiting';
      const pauseMs = Math.min(
        this.#timings.longestPauseMs,
        this.#timings.firstPauseMs * 2 ** Math.min(this.#failures - 1, 20),
      );
      this.#log.warn({ exit: this.#lastExit, failures: this.#failures, pauseMs }, 'ended by itself; restarting');
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
    this.#state = 'stopped';
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** A crash loop stays one while its next attempt starts: only a start that lasts ends it. */
  #isLooping(): boolean {
    return this.#failures >= this.#timings.crashLoopAfter;
  }

  /** @returns how it ended */
  async #runOnce(): Promise<string> {
    const start = await this.#spec.prepare();
    if (this.#isStopping()) return 'never started';
    if (!this.#isLooping()) this.#state = 'starting';
    this.#logFrom = this.#spec.log === undefined ? 0 : logSize(this.#spec.log);
    const child = this.#spawn(start);
    const exited = whenExited(child);
    this.#child = child;
    this.#identity = child.pid === undefined ? undefined : identify(child.pid);
    this.#changed();
    const ended = new AbortController();
    const readyLimit = this.#limitReady(child);
    const healthy = setTimeout(() => this.#becomeHealthy(), this.#timings.healthyAfterMs);
    this.#spec.ready(child, this.#logFrom, ended.signal).then(
      () => {
        clearTimeout(readyLimit);
        if (!ended.signal.aborted) this.#becomeReady();
      },
      (error: unknown) => this.#log.debug({ reason: String(error) }, 'ended before it was ready'),
    );
    const exit = await exited;
    ended.abort();
    clearTimeout(readyLimit);
    clearTimeout(healthy);
    this.#child = undefined;
    this.#identity = undefined;
    this.#changed();
    return exit;
  }

  #spawn(start: ProcessStart): ChildProcess {
    const { log } = this.#spec;
    const descriptor = log === undefined ? 2 : openLog(log);
    try {
      return spawn(start.command, [...start.args], {
        env: start.env,
        cwd: start.cwd,
        stdio: ['ignore', descriptor, descriptor, ...(start.channel ? (['ipc'] as const) : [])],
        windowsHide: true,
      });
    } finally {
      if (log !== undefined) closeSync(descriptor);
    }
  }

  #limitReady(child: ChildProcess): NodeJS.Timeout | undefined {
    if (this.#spec.readyLimitMs === undefined) return undefined;
    return setTimeout(() => {
      this.#log.error({ limitMs: this.#spec.readyLimitMs }, 'not ready in time');
      child.kill('SIGKILL');
    }, this.#spec.readyLimitMs);
  }

  #becomeReady(): void {
    if (this.#state === 'starting') {
      this.#state = 'ready';
      this.#log.info('ready');
    }
  }

  #becomeHealthy(): void {
    this.#failures = 0;
    if (this.#state === 'crash-loop') this.#state = 'ready';
  }
}

async function whenExited(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      // An error after a successful spawn (a failed kill or message) is not an end.
      if (child.pid === undefined) resolve(error.message);
    });
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${String(code)}` : `signal ${signal}`));
  });
}
