/** Reads uncompressed BMP files (1, 4, 8, 24 and 32 bits a pixel), which the image library does not. */

export interface RawImage {
  /** RGB, row by row from the top, 8 bits a channel. */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly topDown: boolean;
  readonly bits: number;
  /** Offset of the first pixel. */
  readonly start: number;
  /** Bytes of one row, padded. */
  readonly stride: number;
  readonly palette: { readonly at: number; readonly entry: number };
}

const depths = new Set([1, 4, 8, 24, 32]);

function layoutOf(file: Buffer): Layout {
  const headerSize = file.readUInt32LE(14);
  const old = headerSize === 12;
  const width = old ? file.readUInt16LE(18) : file.readInt32LE(18);
  const signed = old ? file.readUInt16LE(20) : file.readInt32LE(22);
  const bits = file.readUInt16LE(old ? 24 : 28);
  const compression = old ? 0 : file.readUInt32LE(30);
  // 3 says where each channel is, which for 32 bits is nearly always BGRA.
  const plain = compression === 0 || (compression === 3 && bits === 32);
  if (!plain || !depths.has(bits))
    throw new Error(`a BMP file of a kind that is not read (${bits} bits, ${compression})`);
  const stride = Math.ceil((width * bits) / 32) * 4;
  return {
    width,
    height: Math.abs(signed),
    topDown: signed < 0,
    bits,
    start: file.readUInt32LE(10),
    stride,
    palette: { at: 14 + headerSize, entry: old ? 3 : 4 },
  };
}

/** Size as the header says it, before any pixel is read. Throws `Error` or `RangeError` for what is no BMP. */
export function bmpSize(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  const { width, height } = layoutOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return { width, height };
}

/** The pixels. Throws `Error` or `RangeError` for a file that is cut short or of a kind that is not read. */
export function readBmp(bytes: Uint8Array): RawImage {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const layout = layoutOf(file);
  const { width, height, bits, stride } = layout;
  if (layout.start + stride * height > file.length) throw new Error('a BMP file that is cut short');
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const row = layout.start + stride * (layout.topDown ? y : height - 1 - y);
    for (let x = 0; x < width; x++) {
      const from = bits >= 24 ? row + (x * bits) / 8 : paletteEntry(file, layout, row, x);
      const to = (y * width + x) * 3;
      data[to] = file[from + 2] ?? 0;
      data[to + 1] = file[from + 1] ?? 0;
      data[to + 2] = file[from] ?? 0;
    }
  }
  return { data, width, height };
}

function paletteEntry(file: Buffer, { bits, palette }: Layout, row: number, x: number): number {
  const perByte = 8 / bits;
  const byte = file[row + Math.floor(x / perByte)] ?? 0;
  const index = (byte >> (8 - bits * ((x % perByte) + 1))) & ((1 << bits) - 1);
  return palette.at + index * palette.entry;
}
