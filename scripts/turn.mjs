import { existsSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, say } from './run.mjs';

const beatMs = 1000;
const staleMs = 10_000;

/** Serialises processes in this checkout. A killed process blocks the others only for seconds. */
export async function inTurn(work, lock = join(root, '.cache', 'setup.lock')) {
  mkdirSync(dirname(lock), { recursive: true });
  const isStale = unchangedFor(staleMs);
  for (let round = 0; !take(lock, isStale); round++) {
    if (round === 0) say('Waiting for another command in this folder to finish installing or building …');
    await sleep(200);
  }
  const release = () => rmSync(lock, { force: true });
  const beat = setInterval(() => existsSync(lock) && utimesSync(lock, new Date(), new Date()), beatMs);
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    process.off('exit', release);
    release();
  }
}

/**
 * Whether a lock has not been renewed for so long, as far as this process has seen. The file's time is only compared with itself,
 * since a file system can have another clock.
 */
function unchangedFor(ms) {
  let seen;
  return (lock) => {
    const mtimeMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (seen?.mtimeMs !== mtimeMs) seen = { mtimeMs, sinceMs: performance.now() };
    return mtimeMs !== undefined && performance.now() - seen.sinceMs > ms;
  };
}

function take(lock, isStale) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isStale(lock)) removeStale(lock);
  return false;
}

/** Only one rename succeeds, so two waiting processes cannot both remove the lock. */
function removeStale(lock) {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    rmSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
