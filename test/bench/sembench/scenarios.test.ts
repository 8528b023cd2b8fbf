import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cars } from '../../../bench/sembench/cars.js';
import { qualityOf } from '../../../bench/sembench/gold.js';
import { mmqa } from '../../../bench/sembench/mmqa.js';
import { resultOf } from './gold-result.js';

const folder = process.env['FERMATA_DATA'] ?? '';
const there = existsSync(join(folder, 'sembench-mmqa')) && existsSync(join(folder, 'sembench-cars-text'));

describe.skipIf(!there)('Cars and MMQA (skipped without FERMATA_DATA)', () => {
  it('have gold that scores 1, and every query of SemBench is run or says why not', () => {
    for (const scenario of [cars, mmqa]) {
      const { queries, skipped } = scenario.load(folder, scenario.rows);
      for (const { id, gold } of queries) {
        expect([scenario.name, id, qualityOf(resultOf(gold), gold)]).toEqual([scenario.name, id, expect.closeTo(1)]);
      }
      const ids = [...queries, ...skipped].map(({ id }) => id);
      expect(new Set(ids).size).toBe(scenario.name === 'cars' ? 10 : 11);
      expect(skipped.every(({ why }) => why !== '')).toBe(true);
    }
  });

  it('have the facts of the data: crashes, classes, ages, films, flights', () => {
    const { queries, tables } = cars.load(folder, 1899);
    const [crash, age, component] = queries.map(({ gold }) => gold);
    expect(crash?.metric === 'f1' && crash.items.length).toBe(79);
    expect(age?.metric === 'relative error' && age.value).toBeCloseTo(13.1, 2);
    expect(component?.metric === 'macro f1' && new Set(component.labels.values()).size).toBe(24);
    expect(tables['complaints']?.columns).toEqual(['complaint_id', 'car_id', 'summary']);
    const { tables: ofMmqa } = mmqa.load(folder, 24);
    expect([ofMmqa['movies']?.rows.length, ofMmqa['airlines']?.rows.length]).toEqual([24, 24]);
  });

  it('make no more rows than there are', () => {
    expect(() => cars.load(folder, 5000)).toThrow(expect.objectContaining({ code: 'BadArgument' }));
    expect(cars.load(folder, 100).tables['complaints']?.rows).toHaveLength(100);
  });
});
