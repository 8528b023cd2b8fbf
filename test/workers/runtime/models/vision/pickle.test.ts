import { expect, test } from 'vitest';
import { readPickle } from '../../../../../workers/runtime/models/vision/pickle.js';

test('a pickle that would run something is only read; one with unknown operations is refused', () => {
  // cposix\nsystem\n(X..tR. of pickletools: os.system('touch /tmp/x')
  const evil = Buffer.concat([
    Buffer.from('\x80\x02cposix\nsystem\n(X\x05\x00\x00\x00touch', 'latin1'),
    Buffer.from('tR.', 'latin1'),
  ]);
  expect(readPickle(evil, 0).value).toEqual({ global: 'posix.system', args: ['touch'] });
  expect(() => readPickle(Buffer.from('\x80\x02\xff.', 'latin1'), 0)).toThrow('operation 0xff');
  expect(() => readPickle(Buffer.from('\x80\x02', 'latin1'), 0)).toThrow();
});
