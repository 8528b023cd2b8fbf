/** Models of kind `llama`: GGUF weights run in this process by node-llama-cpp, one call at a time. */
import type { LanguageModel, Model, ModelReply, ModelRequest } from '../../../../activities/ports.js';
import { CallError } from '../../../../plans/protocol/call-errors.js';
import { type BackendDeps, commonParts, type OpenedModel, type SettingsOf } from '../backend.js';
import { lazyWeights, weightsFile } from '../weights-file.js';
import { type Engine, loadEngine } from './engine.js';
import { answerChoices, answerGrammar, replyEnd, replyStart, settledValue } from './grammar.js';

/** Prompt and answer of small models; more costs memory and seldom helps them. */
const defaultContextTokens = 4096;

/** Opens a model of kind `llama`; the weights are loaded with the first call. */
export async function openLlama(name: string, settings: SettingsOf<'llama'>, deps: BackendDeps): Promise<OpenedModel> {
  const weights = weightsFile(settings.weights, deps.modelsDir);
  const contextTokens = settings.contextTokens ?? defaultContextTokens;
  const engine = lazyWeights(weights, (path) => loadEngine({ path, threads: settings.threads, contextTokens }));
  const model: Model = {
    ...commonParts(name, settings),
    identity: `llama:${await weights.sha256()}`,
    contextTokens,
    deterministic: true,
    language: languageModel(engine.load),
  };
  return { model, close: engine.close };
}

function languageModel(engine: () => Promise<Engine>): LanguageModel {
  let last: Promise<unknown> = Promise.resolve();
  return {
    complete(request, signal) {
      // One at a time: two on the same cores would each take twice as long, and lose each other's prefix.
      const turn = last.then(async () => {
        signal.throwIfAborted();
        return answer(await engine(), request, signal);
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

function promptText(request: ModelRequest): string {
  return request.content
    .map((part) => {
      if (part.type === 'text') return part.text;
      throw new CallError('badRequest', `this model reads text only, not ${part.type}`);
    })
    .join('\n');
}

async function answer(engine: Engine, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  const { output, repair } = request;
  const grammar = answerGrammar(output);
  const choices = answerChoices(output);
  const free = grammar === undefined;
  const made = await engine
    .generate(
      {
        system: request.system,
        turns: [
          { role: 'user', text: promptText(request) },
          ...(repair === undefined
            ? []
            : [
                { role: 'model' as const, text: repair.reply },
                { role: 'user' as const, text: repair.problem },
              ]),
        ],
        start: free ? '' : replyStart,
        grammar,
        maxTokens: request.maxOutputTokens,
        temperature: request.temperature,
        seed: request.seed,
        done: (written) => !free && settledValue(written, choices) !== undefined,
        rivals: request.confidence && output.kind === 'boolean' ? choices?.map((choice) => ` ${choice}`) : undefined,
      },
      signal,
    )
    .catch((error: unknown) => {
      signal.throwIfAborted();
      throw error instanceof CallError
        ? error
        : new CallError('serverError', `the local model failed: ${(error as Error).message}`, { cause: error });
    });
  const usage = { inputTokens: made.inputTokens, outputTokens: made.outputTokens };
  if (made.cut) throw new CallError('truncated', 'the answer reached the limit of output tokens', { usage });
  if (made.text.trim() === '') throw new CallError('emptyReply', 'the model answered nothing', { usage });
  const value = free ? made.text : (settledValue(made.text, choices) ?? made.text.trimStart());
  return {
    text: free ? value : `${replyStart} ${value}${replyEnd}`,
    usage,
    ...(request.confidence ? { confidence: Math.min(1, made.probability) } : {}),
  };
}
