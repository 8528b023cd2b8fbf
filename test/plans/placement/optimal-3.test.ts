import { test } from 'vitest';
import { compareWithBruteForce } from './optimal.js';

test('the DP finds the cheapest placement of up to 6 filters: 2,500 random trees', () => {
  compareWithBruteForce(3, 2500, (random) => 1 + Math.floor(random.uniform() * 6));
});
