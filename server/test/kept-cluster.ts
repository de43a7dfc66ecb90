import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { keptName, sourcesIn } from './kept-database.ts';
import { templateName } from './template.ts';

/** A stopped PostgreSQL with the template, in this checkout. Copying it takes a tenth of the time of making it. */

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.cache');
const SUFFIX = '.cluster';
/** Another run may be copying one that this checkout's sources no longer ask for. */
const UNUSED_MS = 3_600_000;

function folderOf(): string {
  const made = [templateName(), process.arch, readFileSync(join(ROOT, 'package-lock.json'), 'utf8')];
  return join(FOLDER, keptName('cluster', '0', [...made, ...sourcesIn('server/src/platform/db')]) + SUFFIX);
}

/** Copies it into an empty data folder. False if there is none yet. */
export function copyKeptCluster(dataDir: string): boolean {
  const kept = folderOf();
  if (!existsSync(kept)) return false;
  copy(kept, dataDir);
  return true;
}

/** Keeps the cluster of a stopped server. Another run may do the same, and either may be killed. */
export function keepCluster(dataDir: string): void {
  const kept = folderOf();
  mkdirSync(FOLDER, { recursive: true });
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name);
    const isOld = () => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > UNUSED_MS;
    if (name.includes(SUFFIX) && path !== kept && isOld()) rmSync(path, { recursive: true, force: true });
  }
  const unfinished = `${kept}.${process.pid}`;
  copy(dataDir, unfinished);
  try {
    renameSync(unfinished, kept);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(kept)) throw error;
  }
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  // PostgreSQL refuses folders that others may read.
  chmodSync(join(to, 'postgres'), 0o700);
}
