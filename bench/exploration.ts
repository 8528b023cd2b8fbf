/**
 * How long the exploration of a 15-operator plan takes, from a fresh plan each time (nothing memoised), and how much heap
 * stays. `node dist/bench/exploration.js [times]`
 */
import { applyTask, project, scan, select } from '../plans/algebra/build.js';
import { column, compare, literal } from '../plans/algebra/expression.js';
import type { Operator } from '../plans/algebra/operator.js';
import { operatorsOf } from '../plans/algebra/walk.js';
import { explore } from '../plans/rewrites/explore.js';
import { defaultCatalog } from '../plans/tasks/catalog.js';

/** Questions about a text and an image, each with its σ, over one relation: every order of them is a plan. */
function chain(turn: number): Operator {
  const schema = [
    { name: 'id', type: 'BIGINT' },
    { name: 'note', type: 'Text' },
    { name: 'photo', type: 'Image' },
  ];
  let plan: Operator = scan('items', { schema, key: ['id'] });
  for (let index = 0; index < 6; index += 1) {
    const [name, slot, attribute] =
      index % 2 === 0 ? (['OpTxtQA', 'text', 'note'] as const) : (['OpImgVQA', 'image', 'photo'] as const);
    const task = defaultCatalog.get(name);
    if (task === undefined) throw new Error(`no task ${name}`);
    const apply = applyTask(task, plan, {
      bind: { [slot]: attribute },
      params: { question: `Question ${turn}.${index}?` },
    });
    plan = select(apply, compare(column(apply.outputs[0]?.name ?? ''), '=', literal('yes')));
  }
  const embed = defaultCatalog.get('OpTxtEmbed');
  return project(embed === undefined ? plan : applyTask(embed, plan, { bind: { text: 'note' } }), [
    'id',
    'note',
    'photo',
  ]);
}

const times = Number(process.argv[2] ?? 40);
const spent: number[] = [];
let plans = 0;
for (let turn = 0; turn < times; turn += 1) {
  const plan = chain(turn);
  const start = performance.now();
  plans = explore([{ plan, origin: turn }], { catalog: defaultCatalog }).length;
  spent.push(performance.now() - start);
}
globalThis.gc?.();
const sorted = [...spent].sort((a, b) => a - b);
const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
const operators = operatorsOf(chain(0)).length;
process.stdout.write(
  `${operators} operators, ${plans} plans: first ${(spent[0] ?? 0).toFixed(1)} ms, median ${at(0.5)} ms, p90 ${at(0.9)} ms; heap ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB\n`,
);
