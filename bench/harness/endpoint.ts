/**
 * The fake endpoint in a process of its own, so that its CPU time is not ours and its event loop not the one that is
 * measured. It counts calls and samples how many are in flight.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FaultRule } from '../../test/support/endpoint.js';

export interface EndpointPlan {
  readonly latencyMs: number;
  /** Form of an answer where the request asks for no JSON schema; default `json`. */
  readonly style?: AnswerStyle;
}

/** What clients expect of a yes or no when they ask for it by words alone. */
export type AnswerStyle = 'json' | 'words' | 'palimpzest' | 'digit';

export interface EndpointUse {
  readonly calls: number;
  readonly faults: number;
  readonly distinct: number;
  readonly maxInFlight: number;
  /** Mean of calls in flight between the first and the last quarter of the calls. */
  readonly meanInFlight: number;
  /** From the first request to the last reply, in ms. */
  readonly spanMs: number;
}

export type EndpointRequest = { readonly op: 'reset'; readonly faults: readonly FaultRule[] } | { readonly op: 'use' };

export interface BenchEndpoint {
  readonly baseUrl: string;
  /** Forgets the counts, and sets what goes wrong from now on. */
  reset(faults?: readonly FaultRule[]): Promise<void>;
  use(): Promise<EndpointUse>;
  close(): void;
}

/** Texts that the endpoint answers with yes hold this word. */
export const positiveWord = 'dreadful';

export async function startBenchEndpoint(plan: EndpointPlan): Promise<BenchEndpoint> {
  const child = fork(fileURLToPath(new URL('endpoint-main.js', import.meta.url)), [JSON.stringify(plan)]);
  // One question at a time.
  const next = <T>(): Promise<T> => new Promise((resolve) => child.once('message', (message) => resolve(message as T)));
  const ask = async <T>(request: EndpointRequest): Promise<T> => {
    const answer = next<T>();
    child.send(request);
    return answer;
  };
  const baseUrl = await next<string>();
  return {
    baseUrl,
    reset: async (faults = []) => {
      await ask({ op: 'reset', faults });
    },
    use: () => ask<EndpointUse>({ op: 'use' }),
    close: () => {
      child.kill();
    },
  };
}
