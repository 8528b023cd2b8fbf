/** The process behind `startBenchEndpoint`. */
import { type ChatCall, startEndpoint } from '../../test/support/endpoint.js';
import {
  type AnswerStyle,
  type EndpointPlan,
  type EndpointRequest,
  type EndpointUse,
  positiveWord,
} from './endpoint.js';

const sampleMs = 5;

const styles: Readonly<Record<AnswerStyle, (yes: boolean) => string>> = {
  json: (yes) => JSON.stringify({ answer: yes }),
  words: (yes) => `Answer: ${yes ? 'True' : 'False'}`,
  digit: (yes) => (yes ? '1' : '0'),
  palimpzest: (yes) => (yes ? 'TRUE' : 'FALSE'),
};

const plan = JSON.parse(process.argv[2] ?? '{"latencyMs":50}') as EndpointPlan;

/** The whole request counts: the last message of a repair call is not the one that holds the review. */
function answer({ body }: ChatCall): string {
  const yes = JSON.stringify(body['messages']).includes(positiveWord);
  return styles[body['response_format'] === undefined ? (plan.style ?? 'json') : 'json'](yes);
}

const endpoint = await startEndpoint({ latencyMs: plan.latencyMs, answer });
const { counts } = endpoint;
let samples: { readonly at: number; readonly calls: number; readonly inFlight: number }[] = [];
let start = { calls: 0, faults: 0 };

setInterval(() => {
  if (counts.inFlight > 0 || samples.length > 0) {
    samples.push({ at: performance.now(), calls: counts.calls - start.calls, inFlight: counts.inFlight });
  }
}, sampleMs);

function use(): EndpointUse {
  const calls = counts.calls - start.calls;
  const middle = samples.filter((sample) => sample.calls >= calls / 4 && sample.calls <= (3 * calls) / 4);
  const busy = samples.filter((sample) => sample.inFlight > 0);
  return {
    calls,
    faults: counts.faults - start.faults,
    distinct: counts.bodies.size,
    maxInFlight: counts.maxInFlight,
    meanInFlight: middle.reduce((sum, sample) => sum + sample.inFlight, 0) / Math.max(1, middle.length),
    spanMs: (busy.at(-1)?.at ?? 0) - (busy[0]?.at ?? 0),
  };
}

process.on('message', (request: EndpointRequest) => {
  if (request.op === 'use') {
    process.send?.(use());
    return;
  }
  samples = [];
  start = { calls: counts.calls, faults: counts.faults };
  counts.maxInFlight = 0;
  counts.bodies.clear();
  endpoint.requests.length = 0;
  endpoint.setFaults(request.faults);
  process.send?.('reset');
});
process.on('disconnect', () => process.exit(0));
process.send?.(endpoint.baseUrl);
