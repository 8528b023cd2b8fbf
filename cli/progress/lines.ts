import type { OperatorProgress, RunProgress } from '../../plans/protocol/run.js';
import { cost, count, counted, duration, percent } from '../render/numbers.js';
import { operatorTitle } from '../render/operator-title.js';
import { fit, oneLine, pad, textWidth } from '../render/width.js';
import type { EtaMeter } from './eta.js';

/** Columns of the intent that a line shows. */
const intentWidth = 36;

function heading(operator: OperatorProgress): string {
  return `${operatorTitle(operator)} "${fit(oneLine(operator.intent), intentWidth)}"`;
}

function remaining(operator: OperatorProgress, progress: RunProgress, meter: EtaMeter): string {
  if (progress.phase === 'paused') return 'paused';
  if (operator.inputs === 0) return 'waiting for rows';
  const seconds = meter.secondsLeft(operator);
  if (seconds === undefined) return 'ETA …';
  return seconds === 0 ? 'all known rows done' : `ETA ${duration(seconds)}`;
}

function parts(operator: OperatorProgress, progress: RunProgress, meter: EtaMeter): readonly string[] {
  const decided = operator.answered + operator.failed;
  const share = operator.inputs === 0 ? '' : ` (${percent(decided / operator.inputs)})`;
  return [
    `${count(decided)}/${count(operator.inputs)}${share}`,
    counted(operator.calls, 'call'),
    `${count(operator.cached)} cached`,
    ...(operator.retries > 0 ? [operator.retries === 1 ? '1 retry' : `${count(operator.retries)} retries`] : []),
    ...(operator.failed > 0 ? [`${count(operator.failed)} failed`] : []),
    cost(operator.usd, operator.unpriced),
    remaining(operator, progress, meter),
  ];
}

/** One line an operator: rows, calls, cached, USD, time left. */
export function progressLines(progress: RunProgress, meter: EtaMeter): readonly string[] {
  const titles = progress.operators.map(heading);
  const models = progress.operators.map((operator) => operator.model);
  const titleWidth = Math.max(0, ...titles.map(textWidth));
  const modelWidth = Math.max(0, ...models.map(textWidth));
  return progress.operators.map((operator, i) => {
    const lead = `${pad(titles[i] ?? '', titleWidth, 'left')}  ${pad(models[i] ?? '', modelWidth, 'left')}`;
    return `${lead}  ${parts(operator, progress, meter).join(' · ')}`;
  });
}
