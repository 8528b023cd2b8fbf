import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseStoreLocation } from '../../../../workers/runtime/objects/location.js';

const parse = (text: string) => parseStoreLocation(text, { baseDir: '/project', cacheDir: '/cache' });

test.each([
  ['store', resolve('/project/store')],
  ['./a/../b', resolve('/project/b')],
  ['/data/fermata', resolve('/data/fermata')],
  ['file:///data/my%20store', '/data/my store'],
  [' spaced name ', resolve('/project/spaced name')],
])('%s is a folder', (text, dir) => {
  expect(parse(text)).toEqual({ kind: 'local', dir });
});

test.each([
  ['s3://bucket', { bucket: 'bucket', prefix: '', forcePathStyle: false }],
  ['s3://bucket/', { bucket: 'bucket', prefix: '', forcePathStyle: false }],
  ['S3://bucket/a/b/', { bucket: 'bucket', prefix: 'a/b', forcePathStyle: false }],
  [
    's3://my.bucket-1/p?region=eu-west-1',
    { bucket: 'my.bucket-1', prefix: 'p', region: 'eu-west-1', forcePathStyle: false },
  ],
  ['s3://b-1/p?path-style=true', { bucket: 'b-1', prefix: 'p', forcePathStyle: true }],
  [
    's3://bucket/p?endpoint=http://127.0.0.1:9000',
    { bucket: 'bucket', prefix: 'p', endpoint: 'http://127.0.0.1:9000', forcePathStyle: true },
  ],
  [
    's3://bucket/p?endpoint=https%3A%2F%2Fs3.example.com&region=x&path-style=false',
    { bucket: 'bucket', prefix: 'p', endpoint: 'https://s3.example.com', region: 'x', forcePathStyle: false },
  ],
])('%s is a bucket', (text, settings) => {
  expect(parse(text)).toEqual({ kind: 's3', cacheDir: '/cache', ...settings });
});

test.each([
  '',
  '   ',
  's3://',
  's3:///prefix',
  's3://BAD_bucket/x',
  's3://bucket/a%20b',
  's3://bucket/a/%2E%2E%2Fb',
  's3://bucket/p?path-style=yes',
  's3://bucket/p?endpoint=ftp://host',
  's3://bucket/p?endpoint=host:9000',
  's3://bucket/p?endpiont=http://host',
  'gs://bucket/x',
  'https://host/x',
  's3://KEY:hunter2@bucket/x',
  's3://bucket/x?endpoint=http://KEY:hunter2@host',
  's3://bucket/x?secret=hunter2',
])('%s is refused, and nothing of it that may be secret is repeated', (text) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({ code: 'BadConfig', message: expect.not.stringContaining('hunter2') }),
  );
});
