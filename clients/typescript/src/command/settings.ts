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
  const stored = readLogin(fileOf(env));
  const url = env.SIXDIGIT_URL || stored.url;
  // The stored key belongs to the stored service: another one must not get it.
  const isStoredService = url === stored.url;
  const api_key = env.SIXDIGIT_API_KEY || (isStoredService ? stored.api_key : undefined);
  return { ...(url ? { url } : {}), ...(api_key ? { api_key } : {}) };
}

function readLogin(file: string): Partial<Access> {
  try {
    const { url, api_key } = JSON.parse(readFileSync(file, 'utf8'));
    return typeof url === 'string' && typeof api_key === 'string' ? { url, api_key } : {};
  } catch {
    return {};
  }
}

/** Only this user can read the file, from its creation on. */
export function storeLogin(file: string, access: Access): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
