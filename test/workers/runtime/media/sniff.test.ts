import { expect, test } from 'vitest';
import { sniffBuffer } from '../../../../workers/runtime/media/media-files.js';

function riff(kind: string, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.write('RIFF');
  bytes.writeUInt32LE(size - 8, 4);
  bytes.write(kind, 8);
  return bytes;
}
function bmp(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.write('BM');
  bytes.writeUInt32LE(size, 2);
  return bytes;
}
const of = (head: readonly number[] | string, size: number, tail: readonly number[] | string = []) => {
  const bytes = Buffer.alloc(size);
  Buffer.from(head as string, 'latin1').copy(bytes);
  const end = Buffer.from(tail as string, 'latin1');
  end.copy(bytes, size - end.length);
  return bytes;
};

const whole = [
  ['image/png', of('\x89PNG\r\n\x1a\n', 80, 'IEND\xae\x42\x60\x82')],
  ['image/jpeg', of([0xff, 0xd8, 0xff, 0xe0], 200, [0xff, 0xd9])],
  ['image/gif', of('GIF89a', 50, ';')],
  ['image/webp', riff('WEBP', 60)],
  ['image/bmp', bmp(70)],
  ['audio/wav', riff('WAVE', 100)],
  ['audio/mpeg', of('ID3\x03', 100)],
  ['audio/mpeg', of([0xff, 0xfb, 0x90, 0x00], 100)],
  ['audio/mp4', of('\0\0\0\x1cftypM4A ', 100)],
  ['audio/flac', of('fLaC', 100)],
  ['audio/ogg', of('OggS', 100)],
] as const;

test.each(whole)('%s is told by its bytes', (mediaType, bytes) => {
  expect(sniffBuffer(bytes)).toEqual({ ok: true, kind: { mediaType, modality: mediaType.split('/')[0] } });
});

test.each(whole.filter(([type]) => !/mpeg|flac|ogg|mp4/.test(type)))('%s cut short is told', (_, bytes) => {
  expect(sniffBuffer(bytes.subarray(0, bytes.length - 15))).toMatchObject({ ok: false });
});

test.each(['', 'plain text', '<svg/>', '%PDF-1.4', '{"a": 1}'])('%j is no medium', (text) => {
  expect(sniffBuffer(Buffer.from(text))).toMatchObject({ ok: false });
});
