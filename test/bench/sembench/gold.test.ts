import { describe, expect, it } from 'vitest';
import { type Gold, qualityOf } from '../../../bench/sembench/gold.js';

const rows = (...cells: readonly (readonly unknown[])[]) =>
  cells.map((row) => Object.fromEntries(row.map((cell, at) => [`c${at}`, cell])));
const ids = (...names: readonly string[]) => names.map((name) => [name]);

describe('each metric of SemBench, by a case worked by hand', () => {
  it('retrieval with a limit: cut first, recall against the smaller of limit and gold', () => {
    const gold: Gold = { metric: 'f1', bothEmpty: 0, limit: 2, items: ids('a', 'b', 'c') };
    // of x, a (b is cut off) one is right: precision 1/2, recall 1/2
    expect(qualityOf(rows(['x'], ['a'], ['b']), gold)).toBe(0.5);
    // ids are a set: one distinct id, right: precision 1, recall 1/2
    expect(qualityOf(rows(['a'], ['a']), gold)).toBeCloseTo(2 / 3);
  });

  it('pairs are alike in either order and become a set after the cut', () => {
    const gold: Gold = {
      metric: 'f1',
      bothEmpty: 0,
      limit: 4,
      pairs: true,
      items: [
        ['m', '1', '2'],
        ['m', '3', '4'],
        ['m', '5', '6'],
        ['m', '7', '8'],
      ],
    };
    const twice = rows(['m', 1n, 2n], ['m', 2n, 1n], ['m', 4n, 3n], ['m', 3n, 4n], ['m', 5n, 6n]);
    // 2 distinct of 4: precision 1, recall 1/2
    expect(qualityOf(twice, gold)).toBeCloseTo(2 / 3);
    // a pair of another film is another pair
    expect(qualityOf(rows(['n', 1n, 2n]), gold)).toBe(0);
  });

  it('nothing found: 0 where there is something; where there is nothing 0 in Movie, 1 elsewhere', () => {
    expect(qualityOf([], { metric: 'f1', bothEmpty: 1, items: ids('a') })).toBe(0);
    expect(qualityOf([], { metric: 'f1', bothEmpty: 0, items: [] })).toBe(0);
    expect(qualityOf([], { metric: 'f1', bothEmpty: 1, items: [] })).toBe(1);
  });

  it('numbers: 1 / (1 + relative error) of the first cell that is one; any other number of rows is an error of 1', () => {
    const gold: Gold = { metric: 'relative error', value: 14 };
    expect(qualityOf(rows([14n]), gold)).toBe(1);
    expect(qualityOf(rows(['taken_3', '7']), gold)).toBeCloseTo(1 / 1.5);
    expect(qualityOf(rows([14n], [14n]), gold)).toBe(0.5);
    expect(qualityOf([], gold)).toBe(0.5);
    expect(qualityOf(rows([null]), gold)).toBe(0.5);
    // gold 0, something found: infinitely wrong
    expect(qualityOf(rows([3]), { metric: 'relative error', value: 0 })).toBe(0);
  });

  it('numbers by label: the mean error over the labels of either side', () => {
    const gold: Gold = { metric: 'relative error by label', counts: { positive: 10, negative: 40 } };
    // 0.2 of positive, 0 of negative, 1 of a label that is not there: mean 0.4
    expect(qualityOf(rows(['POSITIVE', 8n], ['negative', 40n], ['mixed', 2n]), gold)).toBeCloseTo(1 / 1.4);
  });

  it('rankings: Spearman over the ids that both have, mean ranks for ties; fewer than two are 0', () => {
    const values = new Map([
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 9],
    ]);
    const gold: Gold = { metric: 'spearman', values };
    // ranks 1.5, 1.5, 3 beside 1, 2, 3: 1.5 / sqrt(1.5 · 2); d is missing at no price, e is unknown
    expect(qualityOf(rows(['a', 5], ['b', 5], ['c', 7], ['e', 1]), gold)).toBeCloseTo(1.5 / Math.sqrt(3));
    expect(qualityOf(rows(['a', 3], ['b', 2]), gold)).toBe(0);
    expect(qualityOf(rows(['a', 3]), gold)).toBe(0);
    expect(qualityOf(rows(['a', 3], ['b', null]), gold)).toBe(0);
  });

  it('lists: lower-cased, and a row that is there twice is two hits', () => {
    const gold: Gold = { metric: 'list f1', items: ['Delta', 'Edelweiss Air'] };
    // 2 hits of 3 named, 2 of 2 wanted: 2 · (2/3) / (5/3)
    expect(qualityOf(rows(['DELTA'], ['delta'], ['x']), gold)).toBeCloseTo(0.8);
  });

  it('labels: macro F1 by row, in any case; another number of rows is 0', () => {
    const labels = new Map([
      ['1', 'ENGINE'],
      ['2', 'WHEELS'],
      ['3', 'WHEELS'],
    ]);
    const gold: Gold = { metric: 'macro f1', labels };
    // engine: 1 of 2 named, 1 of 1: 2/3; wheels: 1 of 1 named, 1 of 2: 2/3
    expect(qualityOf(rows(['3', 'wheels'], ['1', 'Engine'], ['2', 'engine']), gold)).toBeCloseTo(2 / 3);
    expect(qualityOf(rows(['1', 'ENGINE'], ['2', 'WHEELS']), gold)).toBe(0);
  });
});
