/** The example of PLOP §1: 1,000 books, 5,000 reviews of which 3,000 have rating ≥ 3; 800 books and 2,500 reviews match. */
import { expect, test } from 'vitest';
import type { Condition } from '../../../plans/placement/condition.js';
import { paperConstants } from '../../../plans/placement/cost-model.js';
import { placeOperators, type PlacementStrategy } from '../../../plans/placement/strategies.js';
import type { PlacementTree } from '../../../plans/placement/tree.js';
import { type Tuple, run, type World } from './evaluate.js';

const call = (id: string, column: string): Condition => ({ kind: 'call', call: { id, reads: [column] } });

const tree: PlacementTree = {
  output: ['b.title', 'r.text'],
  root: {
    kind: 'project',
    id: 'select',
    keeps: ['b.title', 'r.text'],
    makes: [],
    rows: 2500,
    input: {
      kind: 'where',
      id: 'where',
      condition: {
        kind: 'and',
        parts: [call('about-ai', 'b.description'), call('positive', 'r.text')],
      },
      input: {
        kind: 'join',
        id: 'join',
        join: 'inner',
        rows: 2500,
        reads: ['b.id', 'r.book'],
        left: {
          kind: 'relation',
          id: 'books',
          relation: 'b',
          rows: 1000,
          columns: ['b.id', 'b.title', 'b.description'],
        },
        right: {
          kind: 'filter',
          id: 'rating',
          condition: { kind: 'plain', text: 'rating >= 3', reads: ['r.rating'] },
          rows: 3000,
          input: {
            kind: 'relation',
            id: 'reviews',
            relation: 'r',
            rows: 5000,
            columns: ['r.book', 'r.rating', 'r.text'],
          },
        },
      },
    },
  },
};

const books = Array.from(
  { length: 1000 },
  (_, at): Tuple => ({ 'b.id': at, 'b.title': `t${at}`, 'b.description': `d${at}` }),
);
const reviews = Array.from({ length: 5000 }, (_, at): Tuple => {
  const rated = at < 3000;
  // 2,500 of the rated ones are about one of 800 books, the other 500 about none
  const book = at < 2500 ? at % 800 : 5000 + at;
  return { 'r.book': book, 'r.rating': rated ? 3 + (at % 3) : at % 3, 'r.text': `review ${at}` };
});

function calls(strategy: PlacementStrategy, answer: World['answer']): number {
  const placed = placeOperators(tree, strategy);
  return run(placed.tree.root, tree.output, {
    tables: { b: books, r: reviews },
    answer,
    holds: (_, [rating]) => Number(rating) >= 3,
  }).calls;
}

test('pushdown asks 4,000 times', () => {
  expect(calls('pushdown', () => true)).toBe(4000);
});

test.each(['pullup', 'cost'] as const)('%s asks 3,300 times', (strategy) => {
  expect(calls(strategy, () => true)).toBe(3300);
});

test('where one filter rejects, the other is spared', () => {
  const some: World['answer'] = (id, [value]) => id !== 'about-ai' || Number(String(value).slice(1)) % 5 === 0;
  expect(calls('pushdown', some)).toBe(4000);
  // 160 of 800 books pass, with every fifth of the 2,500 reviews
  expect(calls('pullup', some)).toBe(800 + 500);
});

test('the model with counted prompts prices the example as the paper does', () => {
  const counts = {
    books: { 'about-ai': 1000 },
    rating: { positive: 3000 },
    join: { 'about-ai': 800, positive: 2500 },
    select: { 'about-ai': 800, positive: 2500 },
  };
  const passing = { ...paperConstants, selectivity: 1 };
  expect(placeOperators(tree, 'pushdown', { constants: passing, counts }).price.calls).toBe(4000);
  expect(placeOperators(tree, 'pullup', { constants: passing, counts }).price.calls).toBe(3300);
});
