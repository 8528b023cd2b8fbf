/** Admits calls to models within their limits, in order of arrival. One gate serves all calls of a process. */
import type { CallGate, Limits, Model } from '../../../activities/ports.js';
import { onAbort } from './abort.js';

/** Limits are a minute's; the window slides, so that no minute, however it is cut, holds more. */
const windowMs = 60_000;

interface Waiting {
  readonly tokens: number;
  readonly admit: () => void;
}

/** State of one model. Times are of `performance.now()`: a change of the wall clock moves nothing. */
class Lane {
  readonly #limits: Limits;
  readonly #queue: Waiting[] = [];
  /** Calls that began within the window, oldest first; kept only where rpm or tpm is limited. */
  #begun: { readonly at: number; readonly tokens: number }[] = [];
  #tokensBegun = 0;
  #active = 0;
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  enter(tokens: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const giveUp = (): void => {
        const at = this.#queue.indexOf(waiting);
        if (at >= 0) this.#queue.splice(at, 1);
        reject(signal.reason as Error);
        this.#serve();
      };
      const waiting: Waiting = {
        tokens,
        admit: () => {
          forget();
          resolve(this.#leaver());
        },
      };
      const forget = onAbort(signal, giveUp);
      this.#queue.push(waiting);
      this.#serve();
    });
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms);
    this.#serve();
  }

  #leaver(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#active--;
      this.#serve();
    };
  }

  /** Admits from the head of the queue while limits allow, and comes back when the next one may go. */
  #serve(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (this.#active >= this.#limits.concurrency) return;
      const wait = this.#waitFor(next.tokens);
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#serve(), wait);
        return;
      }
      this.#queue.shift();
      this.#active++;
      this.#note(next.tokens);
      next.admit();
    }
  }

  /** Milliseconds until a call of that size may begin; 0 when it may now. */
  #waitFor(tokens: number): number {
    const { rpm, tpm } = this.#limits;
    if (rpm === undefined && tpm === undefined && this.#pausedUntil === 0) return 0;
    const now = performance.now();
    this.#forget(now);
    let until = this.#pausedUntil;
    if (rpm !== undefined && this.#begun.length >= rpm) {
      until = Math.max(until, this.#endOf(this.#begun.length - rpm));
    }
    if (tpm !== undefined) {
      // A call bigger than the limit can only go alone, into an empty window.
      let excess = this.#tokensBegun + Math.min(tokens, tpm) - tpm;
      for (let at = 0; excess > 0 && at < this.#begun.length; at++) {
        excess -= this.#begun[at]?.tokens ?? 0;
        until = Math.max(until, this.#endOf(at));
      }
    }
    return until > now ? Math.ceil(until - now) : 0;
  }

  #endOf(index: number): number {
    return (this.#begun[index]?.at ?? 0) + windowMs;
  }

  #note(tokens: number): void {
    if (this.#limits.rpm === undefined && this.#limits.tpm === undefined) return;
    this.#begun.push({ at: performance.now(), tokens });
    this.#tokensBegun += tokens;
  }

  #forget(now: number): void {
    if (this.#begun.length === 0) return;
    const fresh = this.#begun.findIndex(({ at }) => at + windowMs > now);
    const gone = fresh < 0 ? this.#begun.splice(0) : this.#begun.splice(0, fresh);
    for (const { tokens } of gone) this.#tokensBegun -= tokens;
  }
}

/** A gate for all models of this process; the limits of a model are those of the first call to it. */
export function createCallGate(): CallGate {
  const lanes = new Map<string, Lane>();
  const lane = (model: Model): Lane => {
    let found = lanes.get(model.name);
    if (found === undefined) {
      found = new Lane(model.limits);
      lanes.set(model.name, found);
    }
    return found;
  };
  return {
    enter: (model, tokens, signal) => lane(model).enter(tokens, signal),
    pause: (model, ms) => lane(model).pause(ms),
  };
}
