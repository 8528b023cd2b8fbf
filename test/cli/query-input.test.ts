import { expect, test } from 'vitest';
import { runOptions } from '../../cli/query-input.js';

test('parameters: numbers and JSON are what they say, all else is text', () => {
  const param = [
    'a=4',
    'b=-9007199254740993',
    'c=1.5',
    'd=true',
    'e=null',
    'f="4"',
    'g=[1, "x"]',
    'h=it is = 4',
    '$i=',
    '1=x',
    'j={x}',
  ];
  expect(runOptions({ param }).params).toEqual({
    ...{ a: 4n, b: -9007199254740993n, c: 1.5, d: true, e: null, f: '4', g: [1, 'x'], h: 'it is = 4', i: '', 1: 'x' },
    j: '{x}',
  });
  expect(runOptions({}).params).toBeUndefined();
});

test.each([[['4']], [['=4']], [['a b=4']], [['a=1', 'a=2']]])('%j is a mistake of usage', (param) => {
  expect(() => runOptions({ param })).toThrow(expect.objectContaining({ code: 'Usage' }) as Error);
});
