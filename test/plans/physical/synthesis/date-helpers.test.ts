import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateHelpers, dateHelperSource } from '../../../../plans/physical/synthesis/date-helpers.js';

interface Helpers {
  parseDate(text: string): string | null;
  daysBetween(a: string, b: string): number;
  addDays(date: string, days: number): string;
  weekday(date: string): number;
}

const helpers = runInNewContext(dateHelperSource) as Helpers;
const iso = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);

describe('helpers for dates', () => {
  it('are those that the drafter is told of', () => {
    expect(Object.keys(helpers).sort()).toEqual(Object.keys(dateHelpers).sort());
  });

  it('agree with the calendar', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -500_000, max: 2_900_000 }),
        fc.integer({ min: -20_000, max: 20_000 }),
        (from, days) => {
          const [a, b] = [iso(from), iso(from + days)];
          expect(helpers.daysBetween(a, b)).toBe(days);
          expect(helpers.addDays(a, days)).toBe(b);
          expect(helpers.weekday(a)).toBe(((new Date(`${a}T00:00:00Z`).getUTCDay() + 6) % 7) + 1);
          expect(helpers.parseDate(`seen on ${a}, they say`)).toBe(a);
        },
      ),
    );
  });

  it.each([
    ['on March 5th, 2021 we', '2021-03-05'],
    ['5 Sept. 2019', '2019-09-05'],
    ['the 1st of May 2020', '2020-05-01'],
    ['25/12/2020', '2020-12-25'],
    ['12/25/2020', '2020-12-25'],
    ['03/03/2020', '2020-03-03'],
    ['03/04/2020', null],
    ['2020/2/29', '2020-02-29'],
    ['2021-02-29', null],
    ['13/13/2020', null],
    ['first 2020-01-02 then 2021-01-02', '2020-01-02'],
    ['Dec 31, 1999 and 2000-01-01', '1999-12-31'],
    ['no date, 12345-67-89', null],
    ['', null],
  ])('parseDate(%s) is %s', (text, date) => {
    expect(helpers.parseDate(text)).toBe(date);
  });

  it('refuse what is no date', () => {
    expect(() => helpers.daysBetween('2021-02-29', '2021-03-01')).toThrow('not a date');
    expect(() => helpers.addDays('2021-02-28', 0.5)).toThrow('whole');
  });
});
