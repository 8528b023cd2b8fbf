import { describe, expect, test } from 'vitest';
import { chooseModel } from '../../../activities/relational/choose-model.js';
import type { Model } from '../../../activities/ports.js';
import type { CallInput, OperatorParameters } from '../../../plans/operators/call.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { type ModelSettings } from '../../../workers/config/settings.js';
import { modelsWith } from '../../../workers/model-functions.js';
import { createModels } from '../../../workers/runtime/models/models.js';
import { call } from '../../support/relations.js';

const common = { modalities: ['text'] as const, limits: { concurrency: 1 } };
const endpoint = (task: 'chat' | 'embedding' | 'transcription', modalities: Model['modalities'] = ['text']) =>
  ({
    ...common,
    kind: 'openai',
    model: 'x',
    task,
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKeyEnv: 'NONE',
    timeoutMs: 1,
    omit: [],
    jsonSchema: true,
    modalities,
  }) satisfies ModelSettings;
const onnx = (weights: string) =>
  ({ ...common, kind: 'onnx', weights, executionProviders: ['cpu'] }) satisfies ModelSettings;

const all: Readonly<Record<string, ModelSettings>> = {
  chat: endpoint('chat'),
  seeing: endpoint('chat', ['text', 'image']),
  hearing: endpoint('chat', ['text', 'audio']),
  vectors: endpoint('embedding'),
  minilm: onnx('minilm'),
  ears: endpoint('transcription'),
  reader: onnx('pp-ocr'),
  pictures: onnx('efficientnet-lite0'),
};

interface Asked {
  readonly model?: string;
  readonly ofRun?: string;
  /** Configured models; all of them without it. */
  readonly among?: readonly string[];
}

async function choose(
  kind: 'embed' | 'transcribe' | 'parse' | 'filter',
  modality: CallInput['modality'],
  asked: Asked,
) {
  const { model, ofRun, among = Object.keys(all) } = asked;
  const settings = Object.fromEntries(Object.entries(all).filter(([name]) => among.includes(name)));
  const models = createModels(settings, { env: {}, modelsDir: '/nowhere' });
  const ports = {
    models,
    defaultModel: 'chat',
    defaultEmbedder: 'minilm',
    modelsWith: (...wanted: [Parameters<typeof modelsWith>[1], Parameters<typeof modelsWith>[2]?]) =>
      modelsWith(settings, ...wanted),
  };
  const parameters: OperatorParameters = { kind };
  const inputs = [{ sql: 'x', label: 'x', modality }];
  const asking = { ...call('c0', ['x']), parameters, inputs, position: 7, ...(model === undefined ? {} : { model }) };
  try {
    return (await chooseModel(ports, asking, ofRun)).name;
  } finally {
    await models.close();
  }
}

const names = Object.keys(all);
const without = (...left: string[]): Asked => ({ among: names.filter((name) => !left.includes(name)) });

describe('chosen', () => {
  test.each<[kind: 'embed' | 'transcribe' | 'parse' | 'filter', modality: CallInput['modality'], Asked, string]>([
    ['embed', 'text', {}, 'minilm'],
    ['embed', 'text', { model: 'vectors' }, 'vectors'],
    ['embed', 'text', { ofRun: 'vectors' }, 'vectors'],
    ['embed', 'text', { ofRun: 'chat' }, 'minilm'],
    ['embed', 'image', {}, 'pictures'],
    ['transcribe', 'audio', {}, 'ears'],
    ['transcribe', 'audio', { ofRun: 'hearing' }, 'hearing'],
    ['transcribe', 'audio', { ofRun: 'seeing' }, 'ears'],
    ['transcribe', 'audio', { model: 'hearing' }, 'hearing'],
    ['transcribe', 'audio', without('ears'), 'hearing'],
    ['parse', 'image', {}, 'reader'],
    ['parse', 'image', without('reader'), 'seeing'],
    ['filter', 'text', {}, 'chat'],
    ['filter', 'image', { ofRun: 'seeing' }, 'seeing'],
  ])('%s of %s, %o: %s', async (kind, modality, asked, wanted) => {
    expect(await choose(kind, modality, asked)).toBe(wanted);
  });
});

describe('refused, with what to configure', () => {
  test.each<['embed' | 'transcribe' | 'parse' | 'filter', CallInput['modality'], Asked, RegExp, RegExp]>([
    ['embed', 'text', { model: 'chat' }, /chat cannot embed text/, /minilm/],
    ['embed', 'image', { model: 'minilm' }, /minilm cannot embed images/, /efficientnet/],
    ['embed', 'image', without('pictures'), /no configured model can embed images/, /efficientnet/],
    ['transcribe', 'audio', without('ears', 'hearing'), /no configured model can write down speech/, /transcription/],
    ['transcribe', 'audio', { model: 'chat' }, /chat takes no audio/, /modality audio/],
    ['transcribe', 'audio', { model: 'reader' }, /reader cannot write down speech/, /transcription/],
    ['parse', 'image', without('reader', 'seeing'), /no configured model can read text in images/, /pp-ocr/],
    ['filter', 'image', {}, /chat takes no image/, /modality image/],
    ['filter', 'text', { model: 'vectors' }, /vectors cannot answer this filter/, /chat model/],
  ])('%s of %s, %o', async (kind, modality, asked, message, hint) => {
    const error: unknown = await choose(kind, modality, asked).catch((thrown: unknown) => thrown);
    if (!FermataError.is(error, 'ModalityUnsupported')) throw error;
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });

  test('a model that is not configured', async () => {
    await expect(choose('parse', 'image', { model: 'nobody' })).rejects.toMatchObject({ code: 'UnknownModel' });
  });
});
