/**
 * Changes the sampling rate of a stream by a windowed sinc kernel (J. O. Smith, "Digital Audio Resampling Home Page",
 * CCRMA: band-limited interpolation; Kaiser window).
 */
export interface Resampler {
  /** Output samples that the input so far decides. */
  push(input: Float32Array): Float32Array;
  /** The rest. */
  end(): Float32Array;
}

/** Zero crossings of the kernel on each side. */
const crossings = 16;
/** Kaiser β: about 80 dB of stop band. */
const beta = 8;

/** Modified Bessel function of the first kind, order 0, by its power series. */
function bessel0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** One row of weights for each place that an output sample may have between two input samples. */
function kernels(phases: number, cutoff: number, half: number): readonly Float32Array[] {
  const scale = 1 / bessel0(beta);
  return Array.from({ length: phases }, (_, phase) => {
    const weights = new Float32Array(2 * half);
    let sum = 0;
    for (let tap = 0; tap < 2 * half; tap++) {
      const t = tap - half + 1 - phase / phases;
      const inside = 1 - (t / half) ** 2;
      const sinc = t === 0 ? 1 : Math.sin(Math.PI * cutoff * t) / (Math.PI * cutoff * t);
      const weight = inside <= 0 ? 0 : sinc * bessel0(beta * Math.sqrt(inside)) * scale;
      weights[tap] = weight;
      sum += weight;
    }
    return weights.map((weight) => weight / sum);
  });
}

const none = new Float32Array();

/** This is where the time of a conversion goes: a plain loop, which the engine compiles well. */
function weighted(samples: Float32Array, from: number, weights: Float32Array): number {
  let sum = 0;
  for (let tap = 0; tap < weights.length; tap++) sum += (weights[tap] as number) * (samples[from + tap] as number);
  return sum;
}

/** Rates in Hz, whole numbers. */
export function createResampler(from: number, to: number): Resampler {
  if (from === to) return { push: (input) => input, end: () => new Float32Array() };
  const divisor = gcd(from, to);
  const [phases, step] = [to / divisor, from / divisor];
  const cutoff = Math.min(1, to / from);
  const half = Math.ceil(crossings / cutoff);
  const table = kernels(phases, cutoff, half);
  // Silence before the clip, so that the kernel of the first sample has something on its left.
  let held = new Float32Array(half - 1);
  /** Place of the next output sample: `index` in `held` for the kernel's first tap, and `phase` / `phases` beyond. */
  let index = 0;
  let phase = 0;
  let received = 0;
  let given = 0;

  function produce(limit: number): Float32Array {
    const most = Math.max(0, Math.ceil(((held.length - index + 1) * phases) / step));
    const output = new Float32Array(Math.min(most, limit - given));
    let count = 0;
    for (; count < output.length && index + 2 * half <= held.length; count++) {
      output[count] = weighted(held, index, table[phase] ?? none);
      phase += step;
      index += Math.floor(phase / phases);
      phase %= phases;
    }
    given += count;
    const done = Math.min(index, held.length);
    held = held.slice(done);
    index -= done;
    return output.subarray(0, count);
  }

  function take(input: Float32Array): void {
    const joined = new Float32Array(held.length + input.length);
    joined.set(held);
    joined.set(input, held.length);
    held = joined;
  }

  return {
    push(input) {
      received += input.length;
      take(input);
      return produce(Number.POSITIVE_INFINITY);
    },
    end() {
      take(new Float32Array(2 * half));
      return produce(Math.round((received * to) / from));
    },
  };
}
