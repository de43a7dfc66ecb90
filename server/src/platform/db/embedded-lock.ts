import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal, readIfAny } from '../file-problem.ts';

type Holder = { pid: number; started: string };

/**
 * Locks a data folder for this process and returns a function that releases the lock. A lock whose holder has died is ignored.
 * The pid alone does not identify the holder, because pids are reused. Throws a `Refusal` if a live process holds the folder.
 */
export function lockDataDir(dataDir: string): () => void {
  const lock = join(dataDir, 'postgres.lock');
  const mine = `${lock}.${process.pid}`;
  const holder: Holder = { pid: process.pid, started: startOf(process.pid) ?? '' };
  try {
    writeIn(dataDir, mine, JSON.stringify(holder));
    while (!tryLink(mine, lock)) {
      refuseLiving(lock, dataDir);
      const aside = `${lock}.stale.${process.pid}`;
      if (!tryRename(lock, aside)) continue;
      // Another process may have replaced the lock between the read and the rename. In that case, restore its lock.
      if (isAlive(readHolder(aside))) tryLink(aside, lock);
      rmSync(aside, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return () => rmSync(lock, { force: true });
}

/**
 * The caller removes the file, because a full disk can leave it empty. Errors contain the path of the folder instead of the
 * temporary file's.
 */
function writeIn(dataDir: string, file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw Object.assign(error as Error, { path: dataDir });
  }
}

/** Whether a live process holds this data folder. */
export function isDataDirLocked(dataDir: string): boolean {
  return isAlive(readHolder(join(dataDir, 'postgres.lock')));
}

function refuseLiving(lock: string, dataDir: string): void {
  const holder = readHolder(lock);
  if (!holder || !isAlive(holder)) return;
  throw new Refusal(
    `The data folder ${dataDir} is in use by another process (pid ${holder.pid}). ` +
      'Stop that one first, or set DATA_DIR to another folder.',
  );
}

function isAlive(holder: Holder | undefined): boolean {
  return holder !== undefined && startOf(holder.pid) === holder.started;
}

/** Undefined if the file does not exist or is damaged. Throws if it cannot be read, because its holder may be alive. */
function readHolder(path: string): Holder | undefined {
  const text = readIfAny(path);
  try {
    const { pid, started } = JSON.parse(text ?? '') as Partial<Holder>;
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

/** Distinguishes this process from an earlier one with the same pid. Undefined if no such process is running. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      return (
        execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
      );
    }
    // The command name is in parentheses and may contain spaces. State and start time are fields 3 and 22.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return fields[0] === 'Z' ? undefined : `${boot} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
