/** Two FNV-1a hashes with different starts, joined to 53 bits, of the text in lower case. A collision only refuses a password. */
export function hashOfBytes(bytes: Buffer, from: number, to: number): number {
  let [low, high] = [0x811c9dc5, 0x9747b28c];
  for (let n = from; n < to; n += 1) {
    const byte = bytes[n] ?? 0;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    low = Math.imul(low ^ lower, 0x01000193);
    high = Math.imul(high ^ (lower + n - from), 0x01000193);
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
