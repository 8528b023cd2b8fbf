/** The ONNX runtime, loaded with the first model that needs it. */
import { CallError } from '../../../../plans/protocol/call-errors.js';

export type Provider = 'cpu' | 'cuda';

// The types that the package ships do not resolve under `nodenext`; this is what is used of them.
export interface Tensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

export interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
  release(): Promise<void>;
}

export interface Runtime {
  readonly InferenceSession: {
    create(
      model: string | Uint8Array,
      options: { executionProviders: readonly string[]; logSeverityLevel: number },
    ): Promise<Session>;
  };
  readonly Tensor: {
    new (type: 'int64', data: BigInt64Array, dims: readonly number[]): Tensor;
    new (type: 'float32', data: Float32Array, dims: readonly number[]): Tensor;
  };
}

/** Throws `CallError` `backendMissing`. */
export async function loadRuntime(): Promise<Runtime> {
  try {
    return (await import('onnxruntime-node')) as unknown as Runtime;
  } catch (error) {
    throw new CallError(
      'backendMissing',
      `ONNX models need the package onnxruntime-node: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

/** ONNX severity 4: what fails is thrown, and need not be printed too. */
const fatalOnly = 4;

/** `model` is a path or the bytes of one. The first provider that works here runs it. Throws `CallError` `backendMissing`. */
export async function createSession(
  runtime: Runtime,
  model: string | Uint8Array,
  providers: readonly Provider[],
): Promise<Session> {
  const failures: string[] = [];
  for (const provider of providers) {
    try {
      return await runtime.InferenceSession.create(model, {
        executionProviders: [provider],
        logSeverityLevel: fatalOnly,
      });
    } catch (error) {
      const hint = provider === 'cuda' ? ' (needs the CUDA build of onnxruntime-node and CUDA libraries)' : '';
      failures.push(`${provider}: ${(error as Error).message.trim()}${hint}`);
    }
  }
  throw new CallError('backendMissing', `none of the execution providers works here: ${failures.join('; ')}`);
}

/** Runs a session on one float input. Throws `CallError` `serverError` where the runtime fails. */
export async function runFloats(
  runtime: Runtime,
  session: Session,
  input: Float32Array,
  dims: readonly number[],
): Promise<readonly { readonly data: Float32Array; readonly dims: readonly number[] }[]> {
  const [name = ''] = session.inputNames;
  const outputs = await session.run({ [name]: new runtime.Tensor('float32', input, dims) }).catch(localFailure);
  return session.outputNames.map((output) => {
    const tensor = outputs[output];
    if (!(tensor?.data instanceof Float32Array)) throw new CallError('serverError', 'the local model gave no numbers');
    return { data: tensor.data, dims: tensor.dims };
  });
}

/** Turns what the runtime throws into a `CallError` `serverError`. */
export function localFailure(error: unknown): never {
  throw new CallError('serverError', `the local model failed: ${(error as Error).message}`, { cause: error });
}
