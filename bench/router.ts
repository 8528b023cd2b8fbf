/** Time a row that a router adds, in one thread: `node dist/bench/run.js router [rows]`. */
import { textFeatures } from '../plans/physical/router/features.js';
import { difficulties, fitScorer } from '../plans/physical/router/fit-scorer.js';
import { routeAll, routeStream } from '../plans/physical/router/route.js';
import { percentileRanks, sketchScores } from '../plans/physical/router/percentiles.js';
import { scoreRows } from '../plans/physical/router/scorer.js';
import { mulberry32 } from '../plans/tuning/numeric/random.js';
import { type Report, type Row, round } from './harness/report.js';

const lengths = [100, 1000, 10_000];
const rounds = 5;

export function bench(args: readonly string[]): Promise<Report> {
  const rows = Number(args[0] ?? 20_000);
  const title = `µs a row, median of ${rounds} rounds, ${rows} rows, four implementations`;
  return Promise.resolve({
    bench: 'router',
    simulated: 'Texts are words drawn by chance; which implementation was right is drawn, too.',
    sections: [{ title, rows: lengths.map((length) => measure(rows, length)) }],
  });
}

function measure(rows: number, length: number): Row {
  const random = mulberry32(length);
  const words = 'The seat belt was not locked, 2019! but Dealer said no to a $120 refund? still'.split(' ');
  const word = (): string => words[Math.floor(random.uniform() * words.length)] ?? '';
  const texts = Array.from({ length: rows }, () => {
    let text = '';
    while (text.length < length) text += `${word()} `;
    return text;
  });
  const table = textFeatures(texts.slice(0, 200));
  const right = [0.4, 0.6, 0.8, 1].map((share) => Array.from({ length: 200 }, () => random.uniform() < share));
  const router = { scorer: fitScorer(table, difficulties(right), 1), logits: [1, 0, 0, -1] };
  const whole = textFeatures(texts);
  const scores = scoreRows(router.scorer, whole);
  const sketch = sketchScores(scores);
  const spread = texts.map(() => 1 - random.uniform());
  const time = (work: () => unknown): number => {
    const all = Array.from({ length: rounds }, () => {
      const from = performance.now();
      work();
      return performance.now() - from;
    });
    return round((1000 * (all.sort((a, b) => a - b)[rounds >> 1] ?? 0)) / rows, 2);
  };
  return {
    'characters a text': length,
    features: time(() => textFeatures(texts)),
    scores: time(() => scoreRows(router.scorer, whole)),
    ranks: time(() => percentileRanks(scores)),
    'all, whole input': time(() => routeAll(router, textFeatures(texts))),
    'all, stream': time(() => routeStream(router, textFeatures(texts), sketch, spread)),
  };
}
