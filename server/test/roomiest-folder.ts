import { statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';

const ROOM_BYTES = 4e9;

/** For the files of PostgreSQL: memory if there is plenty of it, since a cluster on a disk costs several times the work. */
export function roomiestFolder(): string {
  const memory = '/dev/shm';
  const isFolder = process.platform === 'linux' && statSync(memory, { throwIfNoEntry: false })?.isDirectory();
  if (!isFolder) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= ROOM_BYTES ? memory : tmpdir();
}
