/** EfficientNet-Lite0: image classes and image embeddings of one network. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ImageClassifier, ImageEmbedder } from '../../../../activities/ports.js';
import { CallError } from '../../../../plans/protocol/call-errors.js';
import { parseJson } from '../../../../plans/protocol/json.js';
import { openImage } from '../../media/image/open-image.js';
import { createSession, loadRuntime, type Provider, type Runtime, runFloats, type Session } from '../onnx/runtime.js';
import { classCount, efficientNetGraph, featureCount, inputSide } from './efficientnet.js';
import { writeOnnx } from './onnx-graph.js';
import { pixelsOf, writePlanes } from './pixels.js';
import { readTorchFile } from './torch-file.js';

/** Images are scaled to this side and cut to the middle, as when the network was trained. */
const scaledSide = inputSide + 32;
/** (value − 127) / 128, in terms of value / 255. */
const normal = { mean: [127 / 255, 127 / 255, 127 / 255], deviation: [128 / 255, 128 / 255, 128 / 255] };
/** Images evaluated together; more gains nothing on a CPU. */
const batchSize = 8;

export interface ImageNetwork {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly labels: readonly string[];
  close(): Promise<void>;
}

/** Loads `model.pth` with the `labels.json` beside it. Throws `CallError` `backendMissing` or `weightsMissing`. */
export async function loadImageNetwork(path: string, providers: readonly Provider[]): Promise<ImageNetwork> {
  const [runtime, file, text] = await Promise.all([
    loadRuntime(),
    readFile(path),
    readFile(join(dirname(path), 'labels.json'), 'utf8'),
  ]);
  const parsed = parseJson(text);
  const labels = parsed.ok ? (parsed.value as unknown as readonly string[]) : [];
  if (labels.length !== classCount) throw new CallError('weightsMissing', `${path}: its labels are not whole`);
  const session = await createSession(runtime, writeOnnx(efficientNetGraph(readTorchFile(file))), providers);
  return { runtime, session, labels, close: () => session.release() };
}

interface Seen {
  readonly probabilities: Float32Array;
  readonly features: Float32Array;
}

async function look(network: ImageNetwork, images: readonly Uint8Array[], signal: AbortSignal): Promise<Seen[]> {
  const size = 3 * inputSide * inputSide;
  const margin = (scaledSide - inputSide) / 2;
  const seen: Seen[] = [];
  for (let from = 0; from < images.length; from += batchSize) {
    signal.throwIfAborted();
    const batch = images.slice(from, from + batchSize);
    const planes = new Float32Array(batch.length * size);
    for (const [at, image] of batch.entries()) {
      const opened = await openImage(image);
      const pixels = await pixelsOf(opened, (pipeline) =>
        pipeline
          .resize({ width: scaledSide, height: scaledSide, fit: 'cover' })
          .extract({ left: margin, top: margin, width: inputSide, height: inputSide }),
      );
      writePlanes(pixels, planes, at * size, normal);
    }
    const dims = [batch.length, 3, inputSide, inputSide];
    const [probabilities, features] = await runFloats(network.runtime, network.session, planes, dims);
    for (const at of batch.keys()) {
      seen.push({
        probabilities: probabilities?.data.subarray(at * classCount, (at + 1) * classCount) ?? new Float32Array(),
        features: features?.data.slice(at * featureCount, (at + 1) * featureCount) ?? new Float32Array(),
      });
    }
  }
  return seen;
}

/** Classes by the network that `load` gives. */
export function imageClassifier(load: () => Promise<ImageNetwork>): ImageClassifier {
  return {
    labels: async () => (await load()).labels,
    async classify(image, k, signal) {
      const network = await load();
      const [seen] = await look(network, [image], signal);
      const scored = network.labels.map((label, at) => ({ label, score: seen?.probabilities[at] ?? 0 }));
      return scored.sort((a, b) => b.score - a.score).slice(0, Math.max(0, k));
    },
  };
}

/** Unit vectors: what the network knows of an image before it decides on a class. */
export function imageEmbedder(load: () => Promise<ImageNetwork>): ImageEmbedder {
  return {
    dimensions: featureCount,
    async embed(images, signal) {
      const seen = await look(await load(), images, signal);
      return { vectors: seen.map(({ features }) => unit(features)) };
    },
  };
}

function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return length > 0 ? vector.map((value) => value / length) : vector;
}
