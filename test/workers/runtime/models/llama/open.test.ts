import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { OutputType } from '../../../../../plans/operators/output.js';
import { openLlama } from '../../../../../workers/runtime/models/llama/open.js';
import { fileState } from '../../../../../workers/runtime/weights/files.js';
import { weightManifest } from '../../../../../workers/runtime/weights/manifest.js';
import { never, yesNo } from '../requests.js';

const modelsDir = process.env['FERMATA_MODELS_DIR'] ?? join(homedir(), '.cache', 'fermata', 'models');
const name = 'smollm2-135m';
const ready = (await fileState(modelsDir, name, weightManifest[name].files[0])) === 'ready';
const title = ready ? 'a real GGUF model' : `a real GGUF model (skipped: no weights ${name} in ${modelsDir})`;

describe.skipIf(!ready)(title, () => {
  const opened = openLlama(
    name,
    { kind: 'llama', weights: name, modalities: ['text'], limits: { concurrency: 1 }, contextTokens: 512, threads: 1 },
    { env: {}, modelsDir },
  );
  afterAll(async () => (await opened).close());
  const ask = async (...args: Parameters<typeof yesNo>) =>
    (await opened).model.language!.complete(yesNo(...args), never);

  const outputs: readonly (readonly [OutputType, (answer: unknown) => boolean])[] = [
    [{ kind: 'boolean' }, (answer) => typeof answer === 'boolean'],
    [
      { kind: 'enum', values: ['brakes', 'engine', 'a"b'] },
      (answer) => ['brakes', 'engine', 'a"b'].includes(String(answer)),
    ],
    [{ kind: 'number', min: 0, max: 10 }, (answer) => typeof answer === 'number' && answer >= 0 && answer < 100],
    [
      {
        kind: 'struct',
        fields: [
          { name: 'part', type: { kind: 'enum', values: ['brakes', 'engine'] } },
          { name: 'speed', type: { kind: 'integer' } },
        ],
      },
      (answer) => Object.keys(answer as object).join() === 'part,speed',
    ],
  ];

  test.each(outputs)('the reply is JSON of the type: %j', async (output, fits) => {
    const { text, usage } = await ask('The brakes failed at 35 mph.', { output, maxOutputTokens: 40 });
    expect(fits((JSON.parse(text) as { answer: unknown }).answer), text).toBe(true);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });

  test('the same question twice is answered the same, with a probability', async () => {
    const first = await ask('It caught fire.', { confidence: true });
    const second = await ask('It caught fire.', { confidence: true });
    expect(second).toEqual(first);
    expect(first.confidence).toBeGreaterThan(0.49);
    expect(first.confidence).toBeLessThanOrEqual(1);
  });

  test('a prompt beyond the context is refused, however long', async () => {
    for (const length of [6_000, 1_000_000]) {
      await expect(ask('brakes '.repeat(length / 7))).rejects.toMatchObject({ code: 'contextTooLong' });
    }
  });

  test('an answer that outgrows its limit is cut and says so', async () => {
    const cut = ask('Tell a long story.', { output: { kind: 'string' }, maxOutputTokens: 3 });
    await expect(cut).rejects.toMatchObject({ code: 'truncated', usage: { outputTokens: 3 } });
  });

  test('an aborted call throws the caller’s reason', async () => {
    const call = (await opened).model.language!.complete(yesNo('x'), AbortSignal.abort(new Error('stopped')));
    await expect(call).rejects.toThrow('stopped');
  });
});
