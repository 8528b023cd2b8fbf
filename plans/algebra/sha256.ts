/** SHA-256 (FIPS 180-4) of a text in UTF-8, as hex: plans are named where no `node:crypto` is. */

const primes = firstPrimes(64);
const constants = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const start = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** @example sha256('abc') // 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' */
export function sha256(text: string): string {
  const words = paddedWords(new TextEncoder().encode(text));
  const state = Uint32Array.from(start);
  const schedule = new Uint32Array(64);
  for (let at = 0; at < words.length; at += 16) compress(state, words.subarray(at, at + 16), schedule);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function firstPrimes(count: number): readonly number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1) {
    if (found.every((prime) => next % prime !== 0)) found.push(next);
  }
  return found;
}

/** The first 32 bits of the fraction of a number. */
function fraction(value: number): number {
  return Math.floor((value % 1) * 2 ** 32);
}

/** The message in big-endian words, closed by one bit and its length (FIPS 180-4 §5.1.1). */
function paddedWords(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(((bytes.length + 8) >> 6) * 16 + 16);
  const put = (index: number, byte: number): void => {
    const at = index >> 2;
    words[at] = (words[at] ?? 0) | (byte << (24 - (index & 3) * 8));
  };
  bytes.forEach((byte, index) => put(index, byte));
  put(bytes.length, 0x80);
  words[words.length - 2] = Math.floor(bytes.length / 2 ** 29);
  words[words.length - 1] = bytes.length << 3;
  return words;
}

function rotate(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

/** One block (FIPS 180-4 §6.2.2). */
function compress(state: Uint32Array, block: Uint32Array, schedule: Uint32Array): void {
  schedule.set(block);
  const word = (index: number): number => schedule[index] ?? 0;
  for (let t = 16; t < 64; t += 1) {
    const early = word(t - 15);
    const late = word(t - 2);
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[t] = word(t - 16) + s0 + word(t - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + (constants[t] ?? 0) + word(t)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    state[index] = (state[index] ?? 0) + value;
  });
}
