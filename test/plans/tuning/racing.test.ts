import { describe, expect, it } from 'vitest';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';
import { judgeRace } from '../../../plans/tuning/racing.js';

/** Share of races in which the test abandons a candidate of accuracy p against an incumbent of accuracy q; rows used. */
function races(p: number, q: number, neededGain: number, risk: number): { abandoned: number; rows: number } {
  const random = mulberry32(11);
  const total = 400;
  let abandoned = 0;
  let rows = 0;
  for (let race = 0; race < total; race++) {
    const incumbent = Array.from({ length: 200 }, () => Number(random.uniform() < q));
    const candidate = incumbent.map(() => Number(random.uniform() < p));
    let seen = 5;
    const verdict = () => judgeRace({ candidate: candidate.slice(0, seen), incumbent, neededGain, risk });
    while (seen < 200 && verdict() === 'continue') seen += 5;
    if (verdict() === 'unlikely') abandoned++;
    rows += seen / total;
  }
  return { abandoned: abandoned / total, rows };
}

describe('judgeRace', () => {
  it.each([0.05, 0.2])('abandons a trial that is just as good as needed with at most the risk %d', (risk) => {
    // 0.03: two standard errors of 400 races.
    expect(races(0.7, 0.7, 0, risk).abandoned).toBeLessThan(risk + 0.03);
    expect(races(0.8, 0.7, 0.1, risk).abandoned).toBeLessThan(risk + 0.03);
  });

  it('abandons clearly worse trials, most rows unseen', () => {
    const { abandoned, rows } = races(0.3, 0.8, 0, 0.05);
    expect(abandoned).toBeGreaterThan(0.98);
    expect(rows).toBeLessThan(60);
  });

  it('knows when not even all rows right would do, and when nothing can go wrong', () => {
    expect(judgeRace({ candidate: [0, 0, 0], incumbent: [1, 1, 1, 1], neededGain: 0 })).toBe('hopeless');
    expect(judgeRace({ candidate: [], incumbent: [1, 1], neededGain: 0.5 })).toBe('hopeless');
    expect(judgeRace({ candidate: [0, 0], incumbent: [1, 1, 1], neededGain: -1.2 })).toBe('continue');
    expect(judgeRace({ candidate: [], incumbent: [0, 1], neededGain: 0 })).toBe('continue');
  });
});
