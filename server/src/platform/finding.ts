import type { Config } from './config.ts';
import type { Vault } from './security/vault.ts';

/** The result of one check, with advice if the operator should act. */
export interface Finding {
  level: 'ok' | 'warning' | 'problem';
  about: string;
  says: string;
  advice?: string;
}

export const ok = (about: string, says: string): Finding => ({ level: 'ok', about, says });
export const warning = (about: string, says: string, advice: string): Finding => ({
  level: 'warning',
  about,
  says,
  advice,
});
export const problem = (about: string, says: string, advice: string): Finding => ({
  level: 'problem',
  about,
  says,
  advice,
});

/** A readable reason why a connection failed. */
export function unreachedBecause(error: unknown): string {
  const { code, message, cause } = (error ?? {}) as { code?: unknown; message?: unknown; cause?: unknown };
  // Some libraries include the system's error code only in the message.
  const inside = /\bE[A-Z_]{4,}\b/.exec(String(message))?.[0] ?? '';
  const known = REASONS[String(code)] ?? REASONS[inside];
  if (known) return known;
  if (typeof code === 'string' && /CERT|SIGNATURE|SSL|TLS|ISSUER/.test(code))
    return `its TLS certificate is not valid (${code})`;
  if (cause !== undefined) return unreachedBecause(cause);
  return typeof message === 'string' && message !== '' ? message : String(error);
}

const REASONS: Record<string, string | undefined> = {
  ENOTFOUND: 'its host name does not resolve',
  EAI_AGAIN: 'its host name does not resolve at the moment',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was lost',
  EHOSTUNREACH: 'there is no route to that host',
  ENETUNREACH: 'there is no route to that network',
  ETIMEDOUT: 'it did not respond in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not respond in time',
  UND_ERR_SOCKET: 'the connection was lost',
  ABORT_ERR: 'it did not respond in time',
};

/** The dependencies of a check. */
export interface DoctorContext {
  config: Config;
  /** undefined if the server key is missing */
  vault: Vault | undefined;
  clock: { now(): Date };
}
