import { readFileSync } from 'node:fs';

/**
 * A problem that must stop the command or the service. The message is a sentence for the operator and is printed without a
 * stack trace.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

type Failed = Partial<NodeJS.ErrnoException>;

/**
 * The sentences about a file or folder that cannot be used, by error code. `or` suggests changing the data folder's setting.
 */
const SENTENCES: Record<string, ((path: string, or: string) => string) | undefined> = {
  ENOSPC: (path) => `The disk of ${path} is full: free space on it, and start again.`,
  EDQUOT: (path) => `The disk quota of ${path} is used up: free space, and start again.`,
  EACCES: (path, or) =>
    `${path} cannot be used (permission denied): let the user of the service use it${or}.`,
  EPERM: (path, or) =>
    `${path} cannot be used (operation not permitted): let the user of the service use it${or}.`,
  EROFS: (path, or) => `${path} cannot be written (read-only file system): make it writable${or}.`,
  EISDIR: (path) => `${path} is a folder, and a file belongs there: remove the folder, and start again.`,
  ENOTDIR: (path, or) =>
    `${path} is a file, or is below one, and a folder belongs there: remove the file${or}.`,
  EEXIST: (path, or) => `${path} is a file, and a folder belongs there: remove the file${or}.`,
  ENOENT: (path, or) => `${path} is missing: restore it${or}.`,
  EIO: (path) => `${path} cannot be read or written (input/output error): check the disk.`,
};
SENTENCES.ERR_FS_EISDIR = SENTENCES.EISDIR;

/** Write errors with these codes contain no path. */
const OF_DISK = new Set(['ENOSPC', 'EDQUOT', 'EIO']);

/**
 * Describes a file error in one sentence for the operator. Undefined for other errors. With `dataDir`, the advice mentions its
 * setting.
 */
export function fileProblem(error: unknown, dataDir?: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path = OF_DISK.has(code) ? dataDir : undefined, syscall } = error as Failed;
  if (path === undefined || syscall === 'connect' || syscall === 'listen') return undefined;
  const name = path === dataDir ? `DATA_DIR ${path}` : path;
  return SENTENCES[code]?.(name, dataDir ? ', or set DATA_DIR to another folder' : '');
}

/** The text of a file; undefined if it does not exist. Every error contains the path, even the error for reading a folder. */
export function readIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as Failed).code === 'ENOENT') return undefined;
    throw Object.assign(error as Error, { path });
  }
}
