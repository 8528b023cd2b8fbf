import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FermataError } from '../../../plans/protocol/errors.js';
import { readWorkerEnvironment, workerVariables } from '../../../workers/process/worker-environment.js';

const folder = mkdtempSync(join(tmpdir(), 'fermata-worker-env-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string): Record<string, string> {
  const file = join(folder, 'settings.json');
  writeFileSync(file, text);
  return {
    [workerVariables.name]: 'cpu',
    [workerVariables.address]: '127.0.0.1:7',
    [workerVariables.namespace]: 'default',
    [workerVariables.settings]: file,
  };
}

describe('readWorkerEnvironment', () => {
  it('gives what the supervisor wrote', () => {
    const env = written('{"projectDir":"/project"}');
    expect(readWorkerEnvironment(env)).toEqual({
      name: 'cpu',
      address: '127.0.0.1:7',
      namespace: 'default',
      settings: { projectDir: '/project' },
    });
  });

  it.each(Object.values(workerVariables))('names %s when it is missing', (variable) => {
    const env = written('{"projectDir":"/project"}');
    expect(() => readWorkerEnvironment({ ...env, [variable]: undefined })).toThrow(
      new RegExp(`${variable} is not set`),
    );
  });

  it.each(['', '{"projectDir":', '[]', 'null', '{}'])('refuses the settings file %j', (text) => {
    try {
      readWorkerEnvironment(written(text));
      expect.unreachable();
    } catch (error) {
      expect(FermataError.is(error, 'StackFailed')).toBe(true);
    }
  });
});
