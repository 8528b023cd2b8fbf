/** Arrow's decimals, exactly. */

/** The integer that is kept: 32-bit words, little end first, two's complement. */
export function unscaledOf(words: Uint32Array): bigint {
  let unscaled = 0n;
  for (let at = words.length - 1; at >= 0; at--) unscaled = (unscaled << 32n) | BigInt(words[at] ?? 0);
  return BigInt.asIntN(32 * words.length, unscaled);
}

/** Puts the decimal point into an unscaled integer. */
export function placePoint(unscaled: bigint, scale: number): string {
  if (scale <= 0) return (unscaled * 10n ** BigInt(-scale)).toString();
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
