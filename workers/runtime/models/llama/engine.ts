/** A GGUF model in memory: tokens in, tokens out, with the evaluated prefix kept from one call to the next. */
import { availableParallelism } from 'node:os';
import type { ChatHistoryItem, Llama, LlamaContextSequence, LlamaGrammar, Token } from 'node-llama-cpp';
import { CallError } from '../../../../plans/protocol/call-errors.js';

export interface EngineOptions {
  readonly path: string;
  readonly threads: number | undefined;
  /** Tokens of prompt and answer together; the model's own limit where that is less. */
  readonly contextTokens: number;
}

export interface Generation {
  readonly system: string;
  readonly turns: readonly { readonly role: 'user' | 'model'; readonly text: string }[];
  /** Start of the model's own words. */
  readonly start: string;
  readonly grammar: string | undefined;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number | undefined;
  /** Ends the generation by its text so far. */
  readonly done: (written: string) => boolean;
  /** Texts whose first tokens' probabilities are wanted, instead of the chosen tokens' own. */
  readonly rivals: readonly string[] | undefined;
}

export interface Generated {
  /** What was written after `start`. */
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens of the prompt that had to be evaluated. */
  readonly evaluatedTokens: number;
  /** Product of the probabilities of the chosen tokens, or the first token's share among `rivals`. */
  readonly probability: number;
  /** The limit of output tokens ended it. */
  readonly cut: boolean;
}

export interface Engine {
  generate(request: Generation, signal: AbortSignal): Promise<Generated>;
  close(): Promise<void>;
}

/**
 * Prompts of this many operators keep their evaluated beginning at a time: partitions of several operators take turns,
 * and a beginning that must be evaluated anew costs more than the answer.
 */
const slots = 3;
/** No text of this many UTF-16 units a token fits; spares the tokenizer a megabyte that must fail anyway. */
const unitsPerToken = 48;

interface Slot {
  readonly sequence: LlamaContextSequence;
  system: string | undefined;
  usedAt: number;
}

type Library = typeof import('node-llama-cpp');

async function loadLibrary(): Promise<Library> {
  try {
    return await import('node-llama-cpp');
  } catch (error) {
    throw new CallError(
      'backendMissing',
      'GGUF models need the package node-llama-cpp: npm install node-llama-cpp@3.21.1',
      {
        cause: error,
      },
    );
  }
}

async function loadLlama(library: Library, threads: number): Promise<Llama> {
  try {
    return await library.getLlama({
      build: 'never',
      gpu: 'auto',
      logLevel: library.LlamaLogLevel.disabled,
      progressLogs: false,
      maxThreads: threads,
    });
  } catch (error) {
    const why = (error as Error).message;
    throw new CallError('backendMissing', `node-llama-cpp has no binary that runs here: ${why}`, { cause: error });
  }
}

/** Loads a model. Throws `CallError` `backendMissing`, or `weightsMissing` when the file is no model. */
export async function loadEngine(options: EngineOptions): Promise<Engine> {
  const library = await loadLibrary();
  // llama.cpp's threads wait for each other by spinning: more of them than cores is several times slower than one.
  const threads = options.threads ?? availableParallelism();
  const llama = await loadLlama(library, threads);
  const model = await llama.loadModel({ modelPath: options.path }).catch((error: unknown) => {
    throw new CallError('weightsMissing', `${options.path} cannot be loaded: ${(error as Error).message}`);
  });
  const contextSize = Math.min(options.contextTokens, model.trainContextSize);
  const context = await model.createContext({ contextSize, sequences: slots, threads });
  const wrapper = library.resolveChatWrapper(model);
  const states: Slot[] = Array.from({ length: slots }, () => ({
    sequence: context.getSequence(),
    system: undefined,
    usedAt: 0,
  }));
  const grammars = new Map<string, Promise<LlamaGrammar>>();
  let uses = 0;

  function tokensOf(request: Generation): Token[] {
    const history: ChatHistoryItem[] = [
      { type: 'system', text: request.system },
      ...request.turns.map(
        ({ role, text }): ChatHistoryItem =>
          role === 'user' ? { type: 'user', text } : { type: 'model', response: [text] },
      ),
      { type: 'model', response: [request.start] },
    ];
    return wrapper.generateContextState({ chatHistory: history }).contextText.tokenize(model.tokenizer);
  }

  /** The sequence that last had this system prompt and shares the longest beginning; else the one longest unused. */
  function slotFor(system: string, tokens: Token[]): Slot {
    const shared = (slot: Slot): number =>
      slot.system === system ? slot.sequence.compareContextTokens(tokens).firstDifferentIndex : -1;
    const ranked = states
      .map((slot) => ({ slot, length: shared(slot) }))
      .sort((a, b) => b.length - a.length || a.slot.usedAt - b.slot.usedAt);
    const slot = (ranked[0] as (typeof ranked)[number]).slot;
    slot.system = system;
    slot.usedAt = ++uses;
    return slot;
  }

  async function stateOf(grammar: string | undefined) {
    if (grammar === undefined) return {};
    let made = grammars.get(grammar);
    if (made === undefined) {
      made = llama.createGrammar({ grammar });
      grammars.set(grammar, made);
    }
    return { grammarEvaluationState: new library.LlamaGrammarEvaluationState({ model, grammar: await made }) };
  }

  return {
    async generate(request, signal) {
      const units = request.system.length + request.turns.reduce((sum, turn) => sum + turn.text.length, 0);
      if (units > contextSize * unitsPerToken) throw tooLong(`${units} characters`, contextSize);
      const tokens = tokensOf(request);
      if (tokens.length + request.maxTokens > contextSize) {
        throw tooLong(`${tokens.length} tokens and up to ${request.maxTokens} of answer`, contextSize);
      }
      const { sequence } = slotFor(request.system, tokens);
      // At least one token must be evaluated for there to be a next one.
      await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
      const fresh = tokens.slice(sequence.nextTokenIndex);
      const rivals = request.rivals?.map((text) => model.tokenize(text)[0] as Token);
      const steps = sequence.evaluateWithMetadata(
        fresh,
        { confidence: true, probabilities: rivals !== undefined },
        {
          temperature: request.temperature,
          ...(request.seed === undefined ? {} : { seed: request.seed }),
          ...(await stateOf(request.grammar)),
        },
      );
      const written: Token[] = [];
      let text = '';
      let probability = 1;
      let cut = false;
      for await (const step of steps) {
        signal.throwIfAborted();
        written.push(step.token);
        if (rivals === undefined) probability *= step.confidence;
        else if (written.length === 1) probability = shareAmong(step, rivals);
        text = model.detokenize(written, false, tokens.slice(-4));
        if (request.done(text)) break;
        cut = written.length >= request.maxTokens;
        if (cut) break;
      }
      return {
        text,
        inputTokens: tokens.length,
        outputTokens: written.length,
        evaluatedTokens: fresh.length,
        probability,
        cut,
      };
    },
    async close() {
      await context.dispose();
      await model.dispose();
    },
  };
}

interface Step {
  readonly token: Token;
  readonly confidence: number;
  readonly probabilities?: ReadonlyMap<Token, number>;
}

/** Probability of the chosen token among the rivals alone: the rest of the vocabulary was ruled out by the grammar. */
function shareAmong({ token, confidence, probabilities }: Step, rivals: readonly Token[]): number {
  if (probabilities === undefined || !rivals.includes(token)) return confidence;
  const sum = rivals.reduce((total, rival) => total + (probabilities.get(rival) ?? 0), 0);
  return sum > 0 ? (probabilities.get(token) ?? 0) / sum : confidence;
}

function tooLong(what: string, contextSize: number): CallError {
  return new CallError('contextTooLong', `the prompt has ${what}; the context of the model is ${contextSize} tokens`);
}
