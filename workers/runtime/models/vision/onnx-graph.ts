/** Writes an ONNX model (onnx.proto of ONNX 1.x, opset 13) from nodes and weights. */
import { Writer } from 'protobufjs/minimal.js';

type Attribute = number | string | readonly number[];

export interface GraphNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
  /** Whole numbers, lists of them, or texts. */
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

export interface Weight {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly weights: ReadonlyMap<string, Weight>;
  /** Shape after the batch. */
  readonly input: { readonly name: string; readonly dims: readonly number[] };
  readonly outputs: readonly { readonly name: string; readonly dims: readonly number[] }[];
}

const opset = 13;
const irVersion = 7;
const float = 1;
const attributeTypes = { int: 2, string: 3, ints: 7 } as const;

/** Fields are written by their numbers in onnx.proto. */
type Fill = (writer: Writer) => void;
const message = (writer: Writer, field: number, fill: Fill): void => {
  writer.uint32((field << 3) | 2).fork();
  fill(writer);
  writer.ldelim();
};
const int = (writer: Writer, field: number, value: number): void => void writer.uint32(field << 3).int64(value);
const text = (writer: Writer, field: number, value: string): void => void writer.uint32((field << 3) | 2).string(value);

function writeAttribute(writer: Writer, name: string, value: Attribute): void {
  text(writer, 1, name);
  if (typeof value === 'number') int(writer, 3, value);
  else if (typeof value === 'string') text(writer, 4, value);
  else for (const item of value) int(writer, 8, item);
  const type = typeof value === 'number' ? 'int' : typeof value === 'string' ? 'string' : 'ints';
  int(writer, 20, attributeTypes[type]);
}

function writeNode(writer: Writer, { op, inputs, output, attributes = {} }: GraphNode): void {
  for (const input of inputs) text(writer, 1, input);
  text(writer, 2, output);
  text(writer, 4, op);
  for (const [name, value] of Object.entries(attributes)) {
    message(writer, 5, (inner) => writeAttribute(inner, name, value));
  }
}

function writeWeight(writer: Writer, name: string, { dims, data }: Weight): void {
  for (const size of dims) int(writer, 1, size);
  int(writer, 2, float);
  text(writer, 8, name);
  writer.uint32((9 << 3) | 2).bytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

/** A float tensor whose first dimension is the batch, of any size. */
function writeValue(writer: Writer, name: string, dims: readonly number[]): void {
  text(writer, 1, name);
  message(writer, 2, (type) =>
    message(type, 1, (tensor) => {
      int(tensor, 1, float);
      message(tensor, 2, (shape) => {
        message(shape, 1, (dim) => text(dim, 2, 'batch'));
        for (const size of dims) message(shape, 1, (dim) => int(dim, 1, size));
      });
    }),
  );
}

/** The bytes of the model, as a runtime loads them. */
export function writeOnnx({ nodes, weights, input, outputs }: Graph): Uint8Array {
  const writer = Writer.create();
  int(writer, 1, irVersion);
  message(writer, 7, (graph) => {
    for (const node of nodes) message(graph, 1, (inner) => writeNode(inner, node));
    text(graph, 2, 'graph');
    for (const [name, weight] of weights) message(graph, 5, (inner) => writeWeight(inner, name, weight));
    message(graph, 11, (inner) => writeValue(inner, input.name, input.dims));
    for (const { name, dims } of outputs) message(graph, 12, (inner) => writeValue(inner, name, dims));
  });
  message(writer, 8, (set) => int(set, 2, opset));
  return writer.finish();
}
