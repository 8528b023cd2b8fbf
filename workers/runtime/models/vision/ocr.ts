/** PP-OCR: a network that finds lines of text and one that reads them. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OcrReader, TextLine } from '../../../../activities/ports.js';
import { openImage } from '../../media/image/open-image.js';
import { loadSharp, type Sharp } from '../../media/image/sharp.js';
import { createSession, loadRuntime, type Provider, type Runtime, runFloats, type Session } from '../onnx/runtime.js';
import { type Box, boxOf } from './geometry.js';
import { type Pixels, pixelsOf, writePlanes } from './pixels.js';
import { inReadingOrder } from './reading-order.js';
import { textRectangles } from './text-detection.js';
import { cutStrip, decodeSteps, stripHeight } from './text-recognition.js';

/** Longest side at which lines are read and at which they are looked for, in pixels. */
const sides = { read: 2400, found: 1280 } as const;
/** Small images are enlarged for the search, at most so much: the network finds no text of a few pixels. */
const mostEnlarged = 2;
/** The search network takes whole multiples of this. */
const grid = 32;
/** Lines that score less are texture, not text. */
const leastScore = 0.5;
const normal = { mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] };

export interface OcrNetworks {
  readonly runtime: Runtime;
  readonly detection: Session;
  readonly recognition: Session;
  readonly characters: readonly string[];
  close(): Promise<void>;
}

/** Loads `detection.onnx` with `recognition.onnx` and `characters.txt` beside it. Throws `CallError` `backendMissing`. */
export async function loadOcr(path: string, providers: readonly Provider[]): Promise<OcrNetworks> {
  const beside = (name: string): string => join(dirname(path), name);
  const [runtime, characters] = await Promise.all([loadRuntime(), readFile(beside('characters.txt'), 'utf8')]);
  const detection = await createSession(runtime, path, providers);
  const recognition = await createSession(runtime, beside('recognition.onnx'), providers);
  return {
    runtime,
    detection,
    recognition,
    characters: characters.replace(/\n$/, '').split('\n'),
    close: async () => {
      await Promise.all([detection.release(), recognition.release()]);
    },
  };
}

const inside = (side: number) => (pipeline: Sharp) =>
  pipeline.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });

async function findBoxes(networks: OcrNetworks, pixels: Pixels): Promise<readonly Box[]> {
  const longest = Math.max(pixels.width, pixels.height);
  const scale = Math.min(mostEnlarged, sides.found / longest);
  const side = (length: number): number => Math.max(grid, Math.round((length * scale) / grid) * grid);
  const [width, height] = [side(pixels.width), side(pixels.height)];
  const scaled = await scaledTo(pixels, width, height);
  const planes = new Float32Array(3 * width * height);
  writePlanes(scaled, planes, 0, normal);
  const [map] = await runFloats(networks.runtime, networks.detection, planes, [1, 3, height, width]);
  const rectangles = textRectangles(map?.data ?? new Float32Array(), width, height);
  return rectangles.map((rectangle) => boxOf(rectangle, pixels.width / width, pixels.height / height));
}

async function scaledTo({ data, width, height }: Pixels, toWidth: number, toHeight: number): Promise<Pixels> {
  const sharp = await loadSharp();
  const resized = await sharp(data, { raw: { width, height, channels: 3 } })
    .resize({ width: toWidth, height: toHeight, fit: 'fill' })
    .raw()
    .toBuffer();
  return { data: resized, width: toWidth, height: toHeight };
}

async function readLine(networks: OcrNetworks, pixels: Pixels, box: Box): Promise<TextLine> {
  const { planes, width } = cutStrip(pixels, box);
  const [steps] = await runFloats(networks.runtime, networks.recognition, planes, [1, 3, stripHeight, width]);
  const classes = steps?.dims.at(-1) ?? 0;
  return { ...decodeSteps(steps?.data ?? new Float32Array(), classes, networks.characters), box };
}

/** Reads text by the networks that `load` gives. */
export function ocrReader(load: () => Promise<OcrNetworks>): OcrReader {
  return {
    async read(image, signal) {
      const networks = await load();
      const opened = await openImage(image);
      const pixels = await pixelsOf(opened, inside(sides.read));
      const lines: TextLine[] = [];
      for (const box of await findBoxes(networks, pixels)) {
        signal.throwIfAborted();
        const line = await readLine(networks, pixels, box);
        if (line.score >= leastScore && line.text !== '') lines.push(line);
      }
      const { width, height } = opened;
      return { lines: inReadingOrder(lines).map((line) => placed(line, width / pixels.width)), width, height };
    },
  };
}

/** Boxes in pixels of the whole image. */
function placed(line: TextLine, scale: number): TextLine {
  const [a, b, c, d] = line.box;
  const at = ({ x, y }: Box[number]) => ({ x: x * scale, y: y * scale });
  return { ...line, box: [at(a), at(b), at(c), at(d)] };
}
