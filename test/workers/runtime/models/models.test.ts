import { describe, expect, test, vi } from 'vitest';
import { createModels, type ExtraModel } from '../../../../workers/runtime/models/models.js';
import { endpointModel, never, yesNo } from './requests.js';

const deps = { env: {}, modelsDir: '/nowhere' };
const common = { modalities: ['text'], limits: { concurrency: 1 } } as const;

describe('models by name', () => {
  test('an unknown name tells the known ones', async () => {
    const models = createModels({ fast: endpointModel('http://h/v1') }, deps);
    await expect(models.get('fats')).rejects.toMatchObject({ code: 'UnknownModel', hint: 'Known: fast.' });
    await expect(models.get('constructor')).rejects.toMatchObject({ code: 'UnknownModel' });
  });

  // lotus/issues/195: the message must say what to configure
  test('with nothing configured the error says what to set', async () => {
    await expect(createModels({}, deps).get('x')).rejects.toMatchObject({
      code: 'NoModel',
      hint: expect.stringContaining('OPENAI_API_KEY') as string,
    });
  });

  test('each is opened once, closed once, and a failed opening is tried again', async () => {
    const close = vi.fn(() => Promise.resolve());
    const open = vi.fn<ExtraModel>((name) => Promise.resolve({ model: { name, identity: name, ...common }, close }));
    open.mockImplementationOnce(() => Promise.reject(new Error('not yet')));
    const models = createModels({}, deps, { own: open });
    await expect(models.get('own')).rejects.toThrow('not yet');
    const [first, second] = await Promise.all([models.get('own'), models.get('own')]);
    expect(first).toBe(second);
    await models.close();
    expect(open).toHaveBeenCalledTimes(2);
    expect(close).toHaveBeenCalledTimes(1);
  });

  test('local models know their identity without weights; calling one says how to get them', async () => {
    const models = createModels(
      {
        llm: { kind: 'llama', weights: 'qwen2.5-coder-0.5b', ...common },
        embedder: { kind: 'onnx', weights: 'minilm', executionProviders: ['cpu'], ...common },
      },
      deps,
    );
    const llm = await models.get('llm');
    expect(llm.identity).toMatch(/^llama:[0-9a-f]{64}$/);
    await expect(llm.language!.complete(yesNo('x'), never)).rejects.toMatchObject({
      code: 'weightsMissing',
      message: expect.stringContaining('fermata models pull qwen2.5-coder-0.5b') as string,
    });
    const embedder = await models.get('embedder');
    await expect(embedder.embedder!.embed(['x'], never)).rejects.toMatchObject({ code: 'weightsMissing' });
    await models.close();
  });

  test('weights of the user that are not there are named', async () => {
    const models = createModels({ own: { kind: 'llama', weights: '/nowhere/my.gguf', ...common } }, deps);
    await expect(models.get('own')).rejects.toMatchObject({ code: 'WeightsMissing' });
  });
});
