/** One child of the sandbox as its worker sees it: start, one batch at a time, the hard limit, the end. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { FermataError } from '../../../plans/protocol/errors.js';
import { childFlags } from './node-flags.js';
import { cpuMsOf, peakRssMb } from './process-use.js';
import { readProgram } from './program.js';
import type { BatchReply, BatchRequest } from './protocol.js';
import { isReady, readReply } from './replies.js';

export interface ChildLimits {
  /** Milliseconds of processor time that a batch may take. */
  readonly softMs: number;
  /** Milliseconds beyond `softMs` after which a child that does not answer is killed. */
  readonly graceMs: number;
  /** V8's own heap; the memory of generated code is apart, 64 MiB. */
  readonly heapMb: number;
}

/** A batch that ended with its child. */
export interface Killed {
  readonly killed: 'timeout' | 'crashed';
  /** Rows that had ended before. */
  readonly done: number;
}

export interface ChildUse {
  /** Milliseconds of processor time of one batch. */
  readonly cpuMs: number;
  readonly rssMb: number;
}

const startMs = 15_000;
const lookMs = 50;
/** A child that gets no processor is given so many times the hard limit, no more. */
const patience = 5;
/** Longest line of a child; one that writes more is killed. */
const maxReplyChars = 16 * 2 ** 20;

type Program = ChildProcessByStdio<Writable, Readable, Readable>;

export class SandboxChild {
  private readonly process: Program;
  private readonly folder: string;
  private readonly limits: ChildLimits;
  private readonly observe: ((use: ChildUse) => void) | undefined;
  private line = '';
  private done = 0;
  private errors = '';
  private ended: string | undefined;
  private settle: ((line: string | undefined) => void) | undefined;

  /** @throws FermataError `SandboxFailed` */
  static async start(limits: ChildLimits, observe?: (use: ChildUse) => void): Promise<SandboxChild> {
    const child = new SandboxChild(limits, observe);
    const timer = setTimeout(() => child.kill(), startMs);
    const line = await child.nextLine();
    clearTimeout(timer);
    if (line !== undefined && isReady(line)) return child;
    child.kill();
    throw new FermataError('SandboxFailed', `A process for generated code did not start: ${child.lastWords()}`, {
      hint: 'Generated code is not run without it; the plan does without symbolic implementations.',
    });
  }

  private constructor(limits: ChildLimits, observe: ((use: ChildUse) => void) | undefined) {
    this.limits = limits;
    this.observe = observe;
    this.folder = mkdtempSync(join(tmpdir(), 'fermata-sandbox-'));
    const { main, readable } = readProgram();
    this.process = spawn(process.execPath, [...childFlags(process.versions.node, readable, limits.heapMb), main], {
      cwd: this.folder,
      env: {},
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.listen();
  }

  get alive(): boolean {
    return this.ended === undefined;
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** One batch at a time. Never rejects: a child that misbehaves is killed. */
  async run(request: Omit<BatchRequest, 'softMs'>): Promise<BatchReply | Killed> {
    const cpuFrom = this.cpuMs() ?? 0;
    this.done = 0;
    const guard = this.watch(cpuFrom);
    const next = this.nextLine();
    this.process.stdin.write(`${JSON.stringify({ ...request, softMs: this.limits.softMs })}\n`);
    const line = await next;
    const late = guard.stop();
    this.tell(cpuFrom);
    const reply = line === undefined ? undefined : readReply(line, request.rows.length);
    if (reply !== undefined) return reply;
    this.kill();
    return { killed: late ? 'timeout' : 'crashed', done: this.done };
  }

  kill(): void {
    if (this.alive) this.process.kill('SIGKILL');
  }

  /** Resolves once the process is gone. */
  async close(): Promise<void> {
    if (!this.alive) return;
    await new Promise<void>((resolve) => {
      this.process.once('exit', () => resolve());
      this.kill();
    });
  }

  private lastWords(): string {
    return this.errors.trim().split('\n').slice(-6).join('\n') || (this.ended ?? 'it said nothing');
  }

  private cpuMs(): number | undefined {
    return this.pid === undefined ? undefined : cpuMsOf(this.pid);
  }

  private tell(cpuFrom: number): void {
    if (this.observe === undefined || this.pid === undefined) return;
    const rssMb = peakRssMb(this.pid);
    const cpuMs = this.cpuMs();
    if (rssMb !== undefined && cpuMs !== undefined) this.observe({ cpuMs: cpuMs - cpuFrom, rssMb });
  }

  /** Kills the child at the hard limit; a child that the machine has not let run that long gets more time. */
  private watch(cpuFrom: number): { stop(): boolean } {
    const { softMs, graceMs } = this.limits;
    const from = performance.now();
    let late = false;
    let timer = setTimeout(look, softMs + graceMs, this);
    function look(child: SandboxChild): void {
      const used = (child.cpuMs() ?? Infinity) - cpuFrom;
      const over = used >= softMs + graceMs / 2 || performance.now() - from >= patience * (softMs + graceMs);
      if (!over) {
        timer = setTimeout(look, lookMs, child);
        return;
      }
      late = true;
      child.tell(cpuFrom);
      child.kill();
    }
    return {
      stop: () => {
        clearTimeout(timer);
        return late;
      },
    };
  }

  /** The next line, or undefined when the process ends before. */
  private nextLine(): Promise<string | undefined> {
    if (!this.alive) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  private listen(): void {
    const { process: child } = this;
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.read(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors = (this.errors + text).slice(-2000);
    });
    const progress = child.stdio[3] as Readable;
    progress.on('data', (bytes: Buffer) => {
      this.done += bytes.length;
    });
    // A write to a child that has just ended fails on the pipe; the end itself is what counts.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => this.end(error.message));
    // After 'close' all pipes are read to their end, so that `done` is what it will be.
    child.on('close', (code, signal) => this.end(`it ended with ${signal ?? `exit code ${String(code)}`}`));
  }

  private read(text: string): void {
    this.line += text;
    if (this.line.length > maxReplyChars) this.kill();
    const at = this.line.indexOf('\n');
    if (at < 0) return;
    const line = this.line.slice(0, at);
    this.line = this.line.slice(at + 1);
    const { settle } = this;
    this.settle = undefined;
    settle?.(line);
  }

  private end(why: string): void {
    if (!this.alive) return;
    this.ended = why;
    rmSync(this.folder, { recursive: true, force: true });
    const { settle } = this;
    this.settle = undefined;
    settle?.(undefined);
  }
}
