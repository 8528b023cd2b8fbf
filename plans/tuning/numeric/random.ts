/** A seeded stream of random numbers; the only source of randomness in the tuner. */
export interface Random {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
}

/**
 * Mulberry32 (public domain, Tommy Ettinger): 32 bits of state, the same numbers on every machine.
 * Normals by Box–Muller, cosine branch only, two uniforms each.
 */
export function mulberry32(seed: number): Random {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const normal = (): number => {
    const radius = Math.sqrt(-2 * Math.log(Math.max(uniform(), 1e-12)));
    return radius * Math.cos(2 * Math.PI * uniform());
  };
  return { uniform, normal };
}

/** Mixes a seed with counters into another seed, so that each step of each trial has its own stream. */
export function deriveSeed(seed: number, ...parts: readonly number[]): number {
  let hash = mix(seed >>> 0);
  for (const part of parts) hash = mix((hash ^ (part >>> 0)) + 0x9e3779b9);
  return hash;
}

/** The finaliser of MurmurHash3: a bijection of 32-bit numbers. */
function mix(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
