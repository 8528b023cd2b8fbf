/** Top-k by comparisons or lists: the answers are places on the scale of the score, best first. */
import { dataText, renderItems } from '../../../plans/operators/items.js';
import { orderProblem } from '../../../plans/operators/rank.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { type JsonValue, parseJson } from '../../../plans/protocol/json.js';
import type { RoundsSchedule } from '../../../plans/protocol/strategy.js';
import { windowFor } from '../../../plans/physical/rounds/capacity.js';
import { compareCall, rankCall } from '../../../plans/physical/rounds/round-calls.js';
import { type SelectionKind, selections } from '../../../plans/physical/top-k/index.js';
import type { Order, Question, SelectionState } from '../../../plans/physical/top-k/selection.js';
import type { AnswerRow } from '../../ports.js';
import type { Asked, Questions, RoundsJob } from './files.js';
import type { RoundMethod } from './method.js';

/** Short questions: as many in a partition as in the partition of any other call. */
const size = 100;

type Top = NonNullable<RoundsSchedule['top']>;

/** Selects by the method that the schedule names. */
export const selectTop: RoundMethod = {
  async ask(job, round) {
    const state = await stateAt(job, round);
    if (state === 'undecided') return undefined;
    await job.writeState(round, state as unknown as JsonValue);
    const questions = selections[kindOf(job)].ask(state);
    return questions.length === 0 ? undefined : render(job, questions);
  },
  async *answers(job, rounds) {
    const state = await stateAt(job, rounds);
    const selection = selections[kindOf(job)];
    const failures = await failuresOf(job, state === 'undecided' ? await stateAt(job, rounds - 1) : state);
    const complete = state !== 'undecided' && selection.ask(state).length === 0;
    const places = new Map(complete ? selection.ranking(state).map((candidate, place) => [candidate, place]) : []);
    for await (const { in: at } of job.inputs()) {
      const failure = failures.get(at);
      if (failure !== undefined) yield { ...failure, in: at };
      else if (complete) yield { in: at, state: 'ok', value: JSON.stringify(valueAt(job, places.get(at))) };
    }
  },
};

function kindOf({ schedule }: RoundsJob): SelectionKind {
  const { kind } = schedule;
  if (kind === 'pairwise' || kind === 'heap' || kind === 'listwise') return kind;
  throw new FermataError('Internal', `${kind} is no way to select`);
}

function topOf({ schedule }: RoundsJob): Top {
  if (schedule.top === undefined) throw new FermataError('Internal', 'the schedule of a top-k names no k');
  return schedule.top;
}

/** The first place is one end of the scale; inputs without a place are at the other. */
function valueAt(job: RoundsJob, place: number | undefined): number {
  const { count, least } = topOf(job);
  const { parameters } = job.planned.call;
  const { min, max } = parameters.kind === 'score' ? parameters : { min: 0, max: 1 };
  const [first, rest] = least ? [min, max] : [max, min];
  return place === undefined ? rest : first + ((rest - first) * place) / Math.max(count, place + 1);
}

/** The state before a round: after the answers of the one before; `undecided` when some of those are missing. */
async function stateAt(job: RoundsJob, round: number): Promise<SelectionState | 'undecided'> {
  const selection = selections[kindOf(job)];
  if (round === 0) {
    const window = kindOf(job) === 'listwise' ? windowFor(job.schedule.tokens, await textsOf(job)) : 2;
    return selection.start({ candidates: job.prepared.inputs, k: topOf(job).count, seed: job.seed, window });
  }
  const before = (await job.readState(round - 1)) as unknown as SelectionState;
  const orders = await ordersOf(job, round - 1, selection.ask(before));
  return orders === undefined ? 'undecided' : selection.tell(before, orders);
}

/** The answers of a round by its questions; undefined when one was not decided. */
async function ordersOf(
  job: RoundsJob,
  round: number,
  questions: readonly Question[],
): Promise<readonly Order[] | undefined> {
  const asked: Asked[] = [];
  for await (const one of job.asked(round)) {
    if (one.answer === undefined || one.answer.state === 'undecided') return undefined;
    asked.push(one);
  }
  if (kindOf(job) === 'listwise') return questions.map((question, at) => listOrder(question, asked[at]));
  const { bothOrders } = topOf(job);
  return questions.map((question, at) =>
    bothOrders ? agreed(question, asked[2 * at], asked[2 * at + 1]) : pairOrder(question, asked[at]),
  );
}

function valueOf(asked: Asked | undefined): JsonValue | undefined {
  const parsed = asked?.answer?.state === 'ok' ? parseJson(asked.answer.value) : undefined;
  return parsed?.ok === true ? parsed.value : undefined;
}

function pairOrder([a = 0, b = 0]: Question, asked: Asked | undefined): Order {
  const value = valueOf(asked);
  if (value === 'A') return [a, b];
  return value === 'B' ? [b, a] : undefined;
}

/** Both ways round. A model that contradicts itself sees no difference: the one that comes first in the data is first. */
function agreed(question: Question, one: Asked | undefined, other: Asked | undefined): Order {
  const [a = 0, b = 0] = question;
  const orders = [pairOrder(question, one), pairOrder([b, a], other)];
  const [first, second] = orders;
  if (first === undefined || second === undefined) return first ?? second;
  return first[0] === second[0] ? first : [Math.min(a, b), Math.max(a, b)];
}

function listOrder(question: Question, asked: Asked | undefined): Order {
  const value = valueOf(asked);
  const order = Array.isArray(value) ? (value as readonly JsonValue[]).map(Number) : [];
  if (orderProblem(order, question.length) !== undefined) return undefined;
  return order.map((place) => question[place - 1] ?? 0);
}

/** The data of inputs by their number: of all, or of those wanted. */
async function textsOf(job: RoundsJob, wanted?: ReadonlySet<number>): Promise<readonly string[]> {
  const texts = Array.from({ length: job.prepared.inputs }, () => '');
  for await (const { in: at, values } of job.inputs()) {
    if (wanted?.has(at) !== false) texts[at] = dataText(job.planned.call, values);
  }
  return texts;
}

async function render(job: RoundsJob, questions: readonly Question[]): Promise<Questions> {
  const { call } = job.planned;
  const { bothOrders, least } = topOf(job);
  const texts = await textsOf(job, new Set(questions.flat()));
  const asked = questions.map((question) => question.map((at) => texts[at] ?? ''));
  if (kindOf(job) === 'listwise') {
    const longest = Math.max(...questions.map(({ length }) => length));
    const rows = asked.map((items) => [renderItems(items)]);
    return { call: rankCall(call, least, longest), rows, arity: 1, size };
  }
  const rows = bothOrders ? asked.flatMap((pair) => [pair, [...pair].reverse()]) : asked;
  return { call: compareCall(call, least), rows, arity: 2, size };
}

type Failure = Extract<AnswerRow, { readonly state: 'error' }>;

/** Why inputs failed, as their questions did. */
async function failuresOf(job: RoundsJob, state: SelectionState | 'undecided'): Promise<ReadonlyMap<number, Failure>> {
  const found = new Map<number, Failure>();
  if (state === 'undecided') return found;
  const perQuestion = kindOf(job) !== 'listwise' && topOf(job).bothOrders ? 2 : 1;
  for (const { candidate, question, round } of state.failed) {
    for await (const { question: at, answer } of job.asked(round)) {
      if (Math.floor(at / perQuestion) !== question) continue;
      const { code, message } = answer?.state === 'error' ? answer : unusable;
      found.set(candidate, { in: candidate, state: 'error', code, message });
      break;
    }
  }
  return found;
}

/** An order of a wrong length passes as a reply and is of no use. */
const unusable = { code: 'badOutput', message: 'the model gave no usable order' } as const;
