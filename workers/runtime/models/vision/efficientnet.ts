/**
 * EfficientNet-Lite0 (M. Tan, Q. Le, "EfficientNet", 2019; the Lite variant has no squeeze-and-excitation and ReLU6 for
 * swish) as an ONNX graph, from its PyTorch weights. Batch normalisation is folded into the convolutions.
 */
import type { Graph, GraphNode, Weight } from './onnx-graph.js';
import type { WeightTensor } from './torch-file.js';

/** Side of the input, in pixels. */
export const inputSide = 224;
export const featureCount = 1280;
export const classCount = 1000;

/** Repeats and first stride of each stage; kernel sizes and widths are in the weights. */
const stages = [
  { repeats: 1, stride: 1 },
  { repeats: 2, stride: 2 },
  { repeats: 2, stride: 2 },
  { repeats: 3, stride: 2 },
  { repeats: 3, stride: 1 },
  { repeats: 4, stride: 2 },
  { repeats: 1, stride: 1 },
] as const;

/** Of TensorFlow's batch normalisation, with which the weights were trained. */
const epsilon = 1e-3;

class Builder {
  readonly nodes: GraphNode[] = [];
  readonly weights = new Map<string, Weight>([
    ['zero', { dims: [], data: Float32Array.of(0) }],
    ['six', { dims: [], data: Float32Array.of(6) }],
  ]);
  readonly #source: ReadonlyMap<string, WeightTensor>;

  constructor(source: ReadonlyMap<string, WeightTensor>) {
    this.#source = source;
  }

  get(name: string): WeightTensor {
    const found = this.#source.get(name);
    if (found === undefined) throw new Error(`the weights lack ${name}`);
    return found;
  }

  has(name: string): boolean {
    return this.#source.has(name);
  }

  add(op: string, inputs: readonly string[], output: string, attributes?: GraphNode['attributes']): string {
    this.nodes.push({ op, inputs, output, ...(attributes === undefined ? {} : { attributes }) });
    return output;
  }

  /** Convolution and the normalisation after it; with ReLU6 unless `linear`. */
  conv(input: string, name: string, norm: string, options: { stride?: number; linear?: boolean } = {}): string {
    const { dims, data } = this.get(`${name}.weight`);
    const [outputs = 0, perGroup = 0, kernel = 1] = dims;
    const [gamma, beta, mean, variance] = ['weight', 'bias', 'running_mean', 'running_var'].map(
      (part) => this.get(`${norm}.${part}`).data,
    ) as [Float32Array, Float32Array, Float32Array, Float32Array];
    const scale = gamma.map((value, at) => value / Math.sqrt((variance[at] ?? 0) + epsilon));
    const size = data.length / outputs;
    const folded = data.map((value, at) => value * (scale[Math.floor(at / size)] ?? 0));
    const bias = beta.map((value, at) => value - (mean[at] ?? 0) * (scale[at] ?? 0));
    this.weights.set(`${name}.w`, { dims, data: folded });
    this.weights.set(`${name}.b`, { dims: [outputs], data: bias });
    const stride = options.stride ?? 1;
    const made = this.add('Conv', [input, `${name}.w`, `${name}.b`], `${name}.conv`, {
      auto_pad: 'SAME_UPPER',
      strides: [stride, stride],
      kernel_shape: [kernel, kernel],
      // Only depthwise convolutions see one channel at a time.
      group: perGroup === 1 ? outputs : 1,
    });
    return options.linear === true ? made : this.add('Clip', [made, 'zero', 'six'], `${name}.relu6`);
  }

  block(input: string, name: string, stride: number): string {
    const expanded = this.has(`${name}._expand_conv.weight`)
      ? this.conv(input, `${name}._expand_conv`, `${name}._bn0`)
      : input;
    const deep = this.conv(expanded, `${name}._depthwise_conv`, `${name}._bn1`, { stride });
    return this.conv(deep, `${name}._project_conv`, `${name}._bn2`, { linear: true });
  }
}

/** Input `image` (RGB planes, (value − 127) / 128); outputs `probabilities` and `features`. Throws `Error`. */
export function efficientNetGraph(source: ReadonlyMap<string, WeightTensor>): Graph {
  const builder = new Builder(source);
  let at = builder.conv('image', '_conv_stem', '_bn0', { stride: 2 });
  let index = 0;
  for (const { repeats, stride: first } of stages) {
    for (let repeat = 0; repeat < repeats; repeat++) {
      const name = `_blocks.${index++}`;
      const made = builder.block(at, name, repeat === 0 ? first : 1);
      // Blocks that keep the shape add their input.
      at = repeat === 0 ? made : builder.add('Add', [made, at], `${name}.sum`);
    }
  }
  at = builder.conv(at, '_conv_head', '_bn1');
  at = builder.add('GlobalAveragePool', [at], 'pooled');
  at = builder.add('Flatten', [at], 'features');
  for (const part of ['weight', 'bias']) builder.weights.set(`_fc.${part}`, builder.get(`_fc.${part}`));
  at = builder.add('Gemm', [at, '_fc.weight', '_fc.bias'], 'scores', { transB: 1 });
  builder.add('Softmax', [at], 'probabilities', { axis: 1 });
  return {
    nodes: builder.nodes,
    weights: builder.weights,
    input: { name: 'image', dims: [3, inputSide, inputSide] },
    outputs: [
      { name: 'probabilities', dims: [classCount] },
      { name: 'features', dims: [featureCount] },
    ],
  };
}
