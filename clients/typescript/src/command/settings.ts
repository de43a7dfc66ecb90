import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The service and the key that a command uses. */
export interface Access {
  url: string;
  api_key: string;
}

type Environment = Record<string, string | undefined>;

/** `~/.config/sixdigit/login.json`, or below `XDG_CONFIG_HOME` or, on Windows, `APPDATA`. */
export function fileOf(env: Environment): string {
  const base = env.XDG_CONFIG_HOME || (process.platform === 'win32' ? env.APPDATA : undefined);
  return join(base || join(homedir(), '.config'), 'sixdigit', 'login.json');
}

/** The environment takes precedence over the stored login. */
export function accessIn(env: Environment): Partial<Access> {
  const stored = env.SIXDIGIT_URL && env.SIXDIGIT_API_KEY ? {} : readLogin(fileOf(env));
  const url = env.SIXDIGIT_URL || stored.url;
  // The stored key belongs to the stored service: another one must not get it.
  const isStoredService = url === stored.url;
  const api_key = env.SIXDIGIT_API_KEY || (isStoredService ? stored.api_key : undefined);
  return { ...(url ? { url } : {}), ...(api_key ? { api_key } : {}) };
}

/** The login file cannot be read or written. */
export class LoginFileError extends Error {}

const CAUSES: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
  ENOTDIR: 'a file stands in place of its folder',
  EEXIST: 'a file stands in place of its folder',
  EISDIR: 'a folder stands in its place',
};

function loginFileError(what: string, file: string, cause: unknown): LoginFileError {
  const { code = '', message = '' } = cause as NodeJS.ErrnoException;
  return new LoginFileError(`The login in ${file} cannot be ${what}: ${CAUSES[code] ?? (code || message)}.`, {
    cause,
  });
}

function readLogin(file: string): Partial<Access> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return {};
    throw loginFileError('read', file, cause);
  }
  try {
    const { url, api_key } = JSON.parse(text);
    return typeof url === 'string' && typeof api_key === 'string' ? { url, api_key } : {};
  } catch {
    return {};
  }
}

/** Only this user can read the file, from its creation on. */
export function storeLogin(file: string, access: Access): void {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rmSync(draft, { force: true });
    try {
      writeFileSync(draft, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      chmodSync(draft, 0o600);
      renameSync(draft, file);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  } catch (cause) {
    throw loginFileError('stored', file, cause);
  }
}
