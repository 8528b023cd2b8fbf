/** QuickJS in this process: contexts, and the rows of one batch. Runs in a child only. */
import packaged from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core';
import { type BatchReply, type BatchRequest, marks } from '../protocol.js';
import { prelude } from './prelude.js';

/** The types are those of the package's CommonJS form, which has the variant under `default`. */
const base = packaged as unknown as (typeof packaged)['default'];

/** TypeScript has it among the types of browsers only. */
declare const WebAssembly: { readonly Memory: new (pages: { initial: number; maximum: number }) => object };

/** Pages of 64 KiB. The engine's own limit counts single allocations; only that of the memory itself holds. */
const memory = { initial: 256, maximum: 1024 };
const heapBytes = 48 * 2 ** 20;
const stackBytes = 256 * 2 ** 10;

/** Without Date, Promise, Proxy and buffers: no clock, nothing that answers later or otherwise, no memory in one piece. */
const intrinsics = {
  BaseObjects: true,
  Eval: true,
  StringNormalize: true,
  RegExp: true,
  RegExpCompiler: true,
  JSON: true,
  MapSet: true,
  BigInt: true,
} as const;

interface Prepared {
  readonly context: QuickJSContext;
  readonly source: string;
  /** Absent: the source is no function. */
  readonly code: QuickJSHandle | undefined;
}

/** Says why evaluation did not end; `message` is of an error of the code. */
type Ended =
  | { readonly value: QuickJSHandle }
  | { readonly stopped: 'timeout' | 'memory' }
  | { readonly message: string };

export class Engine {
  private readonly runtime: QuickJSRuntime;
  private readonly ended: () => void;
  private prepared: Prepared | undefined;
  private interrupted = false;
  private deadline = 0;
  private cpuFrom = 0;
  private softMs = 0;

  /** `ended` is told of each row that ended. */
  static async open(ended: () => void): Promise<Engine> {
    const variant = newVariant(base, { wasmMemory: new WebAssembly.Memory(memory) });
    return new Engine((await newQuickJSWASMModuleFromVariant(variant)).newRuntime(), ended);
  }

  private constructor(runtime: QuickJSRuntime, ended: () => void) {
    this.runtime = runtime;
    this.ended = ended;
    runtime.setMemoryLimit(heapBytes);
    runtime.setMaxStackSize(stackBytes);
    runtime.setInterruptHandler(() => this.isOver());
  }

  /** Aborts of the module are thrown: the process must end then. */
  run({ source, rows, softMs, keep }: BatchRequest): BatchReply {
    this.start(softMs);
    const prepared = this.prepare(source);
    const results: string[] = [];
    if ('stopped' in prepared || 'message' in prepared) {
      this.forget();
      return 'stopped' in prepared ? { results, ...prepared } : { results, stopped: 'not-a-function', ...prepared };
    }
    const { context, code } = prepared;
    for (const row of rows) {
      const ended = this.call(context, code, row);
      if ('stopped' in ended) {
        this.forget();
        return { results, stopped: ended.stopped };
      }
      results.push('value' in ended ? context.getString(ended.value) : marks.threw + ended.message);
      if ('value' in ended) ended.value.dispose();
      this.ended();
    }
    if (keep !== true) this.forget();
    return { results };
  }

  private prepare(
    source: string,
  ): { readonly context: QuickJSContext; readonly code: QuickJSHandle } | Exclude<Ended, { value: unknown }> {
    if (this.prepared?.source === source && this.prepared.code !== undefined) {
      return { context: this.prepared.context, code: this.prepared.code };
    }
    this.forget();
    const context = this.runtime.newContext({ intrinsics });
    this.prepared = { context, source, code: undefined };
    const maker = this.outcome(context, context.evalCode(prelude, 'prelude.js'));
    if (!('value' in maker)) return maker;
    const code = this.call(context, maker.value, source);
    maker.value.dispose();
    if (!('value' in code)) return code;
    this.prepared = { context, source, code: code.value };
    return context.typeof(code.value) === 'function'
      ? { context, code: code.value }
      : { message: 'the source is not one function expression' };
  }

  private call(context: QuickJSContext, code: QuickJSHandle, text: string): Ended {
    const argument = context.newString(text);
    try {
      return this.outcome(context, context.callFunction(code, context.undefined, argument));
    } finally {
      argument.dispose();
    }
  }

  private outcome(context: QuickJSContext, result: ReturnType<QuickJSContext['callFunction']>): Ended {
    if (result.error === undefined) return { value: result.value };
    const message = this.interrupted ? '' : messageOf(context, result.error);
    result.error.dispose();
    if (this.interrupted) return { stopped: 'timeout' };
    return message.includes('out of memory') ? { stopped: 'memory' } : { message };
  }

  private forget(): void {
    const { prepared } = this;
    this.prepared = undefined;
    prepared?.code?.dispose();
    prepared?.context.dispose();
  }

  private start(softMs: number): void {
    this.interrupted = false;
    this.softMs = softMs;
    this.deadline = performance.now() + softMs;
    this.cpuFrom = cpuMs();
  }

  /** By the wall first, which is cheap to read; then by the processor, since a busy machine is no fault of the code. */
  private isOver(): boolean {
    if (performance.now() < this.deadline || cpuMs() - this.cpuFrom < this.softMs) return false;
    this.interrupted = true;
    return true;
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Never calls into the context's own code, as converting an error to text would. */
function messageOf(context: QuickJSContext, error: QuickJSHandle): string {
  if (context.typeof(error) !== 'object') return 'the code threw';
  try {
    const message = context.getProp(error, 'message');
    const text = context.typeof(message) === 'string' ? context.getString(message).slice(0, 200) : 'the code threw';
    message.dispose();
    return text;
  } catch {
    // Null, which has no properties: what the engine throws when there is no memory left for an error.
    return 'out of memory';
  }
}
