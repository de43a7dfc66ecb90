import { statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';

const ROOM_BYTES = 4e9;

/** A folder for the files of PostgreSQL: in memory if there is enough, because a cluster on disk is several times slower. */
export function roomiestFolder(): string {
  const memory = '/dev/shm';
  const isFolder = process.platform === 'linux' && statSync(memory, { throwIfNoEntry: false })?.isDirectory();
  if (!isFolder) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= ROOM_BYTES ? memory : tmpdir();
}
