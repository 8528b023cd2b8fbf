import { expect, test } from 'vitest';
import { workerSpec } from '../../../workers/embedded/worker-spec.js';

test('the flags of a worker stand before its program, and are its own', async () => {
  const argsOf = async (name: string) => {
    const spec = workerSpec({ name, main: 'main.js', stopMs: 1, cwd: '.', env: () => ({}) });
    return (await spec.prepare()).args;
  };
  const inference = await argsOf('inference');
  expect(inference.at(-1)).toBe('main.js');
  expect(inference.filter((flag) => flag.startsWith('--max-semi-space-size='))).toHaveLength(1);
  expect(await argsOf('cpu')).toEqual(['--enable-source-maps', 'main.js']);
});
