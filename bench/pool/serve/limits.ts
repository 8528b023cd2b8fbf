/** Rate limits of a model: requests and tokens in the last minute, and calls at a time. */
import type { ModelProfile } from '../profile.schema.js';

const minuteMs = 60_000;

export class RateLimit {
  private readonly limits: ModelProfile['limits'];
  private readonly now: () => number;
  private readonly times: { readonly at: number; readonly tokens: number }[] = [];
  private first = 0;
  private tokens = 0;

  /** `now` gives ms of a clock that does not go back. */
  constructor(limits: ModelProfile['limits'], now: () => number = () => performance.now()) {
    this.limits = limits;
    this.now = now;
  }

  /** Lets a call in (undefined), or says after how many ms it may come again. */
  enter(tokens: number, inFlight: number): number | undefined {
    const now = this.now();
    this.forget(now - minuteMs);
    if (inFlight >= this.limits.concurrency) return 1000;
    const oldest = this.times[this.first];
    const full = this.times.length - this.first >= this.limits.rpm;
    // a prompt above the limit by itself is let into an empty minute, or it could never be asked
    const heavy = oldest !== undefined && this.tokens + tokens > this.limits.tpm;
    if (oldest !== undefined && (full || heavy)) return Math.max(1, oldest.at + minuteMs - now);
    this.times.push({ at: now, tokens });
    this.tokens += tokens;
    return undefined;
  }

  private forget(before: number): void {
    for (
      let oldest = this.times[this.first];
      oldest !== undefined && oldest.at <= before;
      oldest = this.times[this.first]
    ) {
      this.tokens -= oldest.tokens;
      this.first++;
    }
    if (this.first > 1024 && this.first * 2 > this.times.length) {
      this.times.splice(0, this.first);
      this.first = 0;
    }
  }
}
