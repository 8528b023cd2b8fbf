/** AI_EMBED over a partition: many inputs in one call, and every vector an answer of its own. */
import { maxTokens, priceOf } from '../../plans/cost/index.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { Answer, Model, ModelRequest, ObjectStore, Usage } from '../ports.js';
import { type AskContext, limitReached, noUsage } from './ask.js';
import { allOf } from './ask-all.js';
import { type Outcome, outcomeOfError, outcomesOf } from './outcome.js';
import { isText, loadMedia, type Prompt } from './prompts.js';
import { type Paid, sharesOf } from './shares.js';
import type { VectorMaker } from './specialists.js';

export interface EmbedContext extends Omit<AskContext, 'model'> {
  readonly model: Model;
  readonly vectors: VectorMaker;
  readonly store: ObjectStore;
  readonly onAnswer: () => void;
}

/** Bounds of one call. Endpoints take some hundred thousand tokens and 2,048 texts; images are held in memory together. */
const most = { texts: 200, images: 8, tokens: 200_000 } as const;

const never = new AbortController().signal;

/**
 * Embeds what the ledger lacks. A call that is refused for one of its inputs, or is more than a limit leaves room for, is
 * made in halves, down to single inputs. Throws for a broken ledger, and `CallError` of fate `fatal`.
 */
export async function embedAll(
  prompts: readonly Prompt[],
  found: readonly (Answer | undefined)[],
  context: EmbedContext,
): Promise<readonly Outcome[]> {
  const lacking = new Map<string, Prompt>();
  for (const [at, prompt] of prompts.entries()) if (found[at] === undefined) lacking.set(prompt.key, prompt);
  const halt = new AbortController();
  const work: Work = {
    ...context,
    stop: AbortSignal.any([context.stop, halt.signal]),
    halt: () => halt.abort(),
    outcomes: new Map(),
  };
  await allOf(groupsOf([...lacking.values()]).map((group) => embedGroup(group, context.again, work)));
  return outcomesOf(prompts, found, work.outcomes);
}

interface Work extends EmbedContext {
  readonly halt: () => void;
  /** By key; a key without one is undecided. */
  readonly outcomes: Map<string, Outcome>;
}

function groupsOf(prompts: readonly Prompt[]): readonly (readonly Prompt[])[] {
  const groups: Prompt[][] = [];
  let tokens = 0;
  for (const prompt of prompts) {
    const more = tokensOf(prompt);
    const last = groups.at(-1);
    const limit = isText(prompt.request) ? most.texts : most.images;
    if (last === undefined || last.length >= limit || tokens + more > most.tokens) {
      groups.push([prompt]);
      tokens = more;
    } else {
      last.push(prompt);
      tokens += more;
    }
  }
  return groups;
}

/** At most. */
function tokensOf({ request }: Prompt): number {
  return request.content.reduce((sum, part) => sum + (part.type === 'text' ? maxTokens(part.text) : 0), 0);
}

async function embedGroup(group: readonly Prompt[], retry: boolean, work: Work): Promise<void> {
  const { gate, model, stop } = work;
  let leave: () => void;
  try {
    leave = await gate.enter(model, sum(group.map(tokensOf)), stop);
  } catch (error) {
    if (stop.aborted) return;
    throw error;
  }
  let inHalves: Halves | undefined;
  try {
    inHalves = await embedOnce(group, retry, work);
  } catch (error) {
    work.halt();
    throw error;
  } finally {
    leave();
  }
  if (inHalves === undefined) return;
  const middle = Math.ceil(inHalves.group.length / 2);
  for (const half of [inHalves.group.slice(0, middle), inHalves.group.slice(middle)]) {
    await embedGroup(half, inHalves.retry, work);
  }
}

/** What is left to be asked in two calls. */
interface Halves {
  readonly group: readonly Prompt[];
  readonly retry: boolean;
}

interface Ready {
  readonly prompt: Prompt;
  readonly request: ModelRequest;
}

async function embedOnce(group: readonly Prompt[], retry: boolean, work: Work): Promise<Halves | undefined> {
  const ready = await load(group, work);
  const [first] = ready;
  if (first === undefined) return undefined;
  const { ledger, model, clock, reservation, limits, call } = work;
  const tokens = sum(ready.map(({ prompt }) => tokensOf(prompt)));
  const reserved = { usd: priceOf({ inputTokens: tokens, outputTokens: 0 }, model.price, 60_000) ?? 0, tokens };
  if (!(await ledger.reserve(reservation, reserved, limits))) {
    if (ready.length > 1) return { group: promptsOf(ready), retry };
    work.outcomes.set(first.prompt.key, { state: 'undecided', limit: await limitReached(work, reserved) });
    // What does not fit now fits no later: the others need not queue.
    work.halt();
    return undefined;
  }
  const began = clock.now();
  const settle = (usage: Usage, usd: number | undefined, answers: readonly Keyed[]): Promise<void> => {
    const [own, ...others] = answers;
    return ledger.settle(reservation, call.id, reserved, {
      key: own?.key ?? first.prompt.key,
      ...(own === undefined ? {} : { answer: own.answer, others }),
      usage,
      ...(usd === undefined ? {} : { usd }),
      retry,
    });
  };
  try {
    const made = await work.vectors(
      ready.map(({ request }) => request),
      never,
    );
    checkVectors(made, ready.length);
    const ms = clock.now() - began;
    const usage = made.usage ?? { inputTokens: tokens, outputTokens: 0 };
    const usd = made.usage === undefined ? undefined : priceOf(usage, model.price, ms);
    const answers = answersOf(ready, made.vectors, { usage, usd: usd ?? 0, ms, runId: reservation.runId });
    await settle(usage, usd, answers);
    for (const { key, answer } of answers) work.outcomes.set(key, { state: 'ok', answer, cached: false });
    work.onAnswer();
    return undefined;
  } catch (error) {
    if (!(error instanceof CallError)) {
      await settle(noUsage, 0, []);
      throw error;
    }
    const usage = error.usage ?? noUsage;
    await settle(usage, priceOf(usage, model.price, clock.now() - began), []);
    if (error.fate === 'fatal') throw error;
    if (error.fate === 'row' && ready.length > 1) return { group: promptsOf(ready), retry: true };
    if (error.retryAfterMs !== undefined) work.gate.pause(model, error.retryAfterMs);
    for (const { prompt } of ready) work.outcomes.set(prompt.key, outcomeOfError(error, clock.now()));
    return undefined;
  }
}

/** Requests with their media; an image that cannot be had is an error of its row. */
async function load(group: readonly Prompt[], { store, outcomes, clock }: Work): Promise<readonly Ready[]> {
  const ready: Ready[] = [];
  for (const prompt of group) {
    const { request } = prompt;
    try {
      ready.push({ prompt, request: isText(request) ? request : await loadMedia(request, store) });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      outcomes.set(prompt.key, outcomeOfError(error, clock.now()));
    }
  }
  return ready;
}

function checkVectors({ vectors, usage }: Awaited<ReturnType<VectorMaker>>, wanted: number): void {
  const paid = usage === undefined ? {} : { usage };
  if (vectors.length !== wanted) {
    throw new CallError('emptyReply', `the model gave ${vectors.length} vectors for ${wanted} inputs`, paid);
  }
  if (vectors.some((vector) => vector.length === 0 || !vector.every(Number.isFinite))) {
    throw new CallError('emptyReply', 'the model gave a vector that is empty or holds no numbers', paid);
  }
}

interface Keyed {
  readonly key: string;
  readonly answer: Answer;
}

function answersOf(ready: readonly Ready[], vectors: readonly Float32Array[], whole: Paid): readonly Keyed[] {
  const paid = sharesOf(
    whole,
    ready.map(({ prompt }) => tokensOf(prompt)),
  );
  return ready.map(({ prompt }, at) => {
    const value = Array.from(vectors[at] ?? [], inNineDigits);
    return { key: prompt.key, answer: { ...(paid[at] ?? whole), value } };
  });
}

/** Nine digits are enough to give back the same number of single precision. */
function inNineDigits(value: number): number {
  return Number(value.toPrecision(9));
}

function promptsOf(ready: readonly Ready[]): readonly Prompt[] {
  return ready.map(({ prompt }) => prompt);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
