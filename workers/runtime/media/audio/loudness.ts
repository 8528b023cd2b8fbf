/** How loud a clip is. */
export interface Loudness {
  /** Root mean square in decibels below full scale; -120 for silence. */
  readonly rmsDb: number;
  /** The loudest sample likewise. */
  readonly peakDb: number;
}

/** Softer than this peak there is nothing to hear: dither and the noise of a line are at -70 dB and below. */
export const silentPeakDb = -60;

const floorDb = -120;
const decibels = (amplitude: number): number => Math.min(0, Math.max(floorDb, 20 * Math.log10(amplitude)));

export interface LoudnessMeter {
  add(samples: Float32Array): void;
  read(): Loudness & { readonly samples: number };
}

export function createLoudnessMeter(): LoudnessMeter {
  let samples = 0;
  let squares = 0;
  let peak = 0;
  return {
    add(block) {
      samples += block.length;
      for (const value of block) {
        squares += value * value;
        peak = Math.max(peak, Math.abs(value));
      }
    },
    read: () => ({ samples, rmsDb: decibels(Math.sqrt(squares / Math.max(1, samples))), peakDb: decibels(peak) }),
  };
}
