/**
 * Applies `sslmode` and related parameters of a database URL as PostgreSQL documents them
 * (https://www.postgresql.org/docs/18/libpq-ssl.html). The driver interprets them differently, so they are removed from its URL.
 */

import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import pg from 'pg';
import { Refusal } from '../file-problem.ts';

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];
const OURS = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'];
const TIMEOUT_MS = 5_000;

/** The driver's configuration for this URL. Throws a `Refusal`. */
export function connectionOf(url: string): pg.ClientConfig {
  const { bare, params } = split(url);
  const ssl = tlsOf(params);
  const negotiation = params.get('sslnegotiation');
  return {
    connectionString: bare,
    ssl,
    ...(negotiation === 'direct' && ssl ? { sslnegotiation: 'direct' } : {}),
  };
}

/**
 * With `prefer` (the default) and `allow`, the server decides on encryption. Tries both modes and returns the URL with the mode
 * that the server accepts. Throws the connection's error if neither works.
 */
export async function settleTls(url: string): Promise<string> {
  const { params, isSocket } = split(url);
  const mode = modeOf(params) ?? 'prefer';
  if (isSocket || (mode !== 'prefer' && mode !== 'allow')) return url;
  const encrypted = withMode(url, 'require');
  const plain = withMode(url, 'disable');
  const [first, second] = mode === 'prefer' ? [encrypted, plain] : [plain, encrypted];
  try {
    await connectOnce(first);
    return first;
  } catch (error) {
    if (!isAboutEncryption(error)) throw error;
    // If both modes fail, the error of the preferred one is more useful.
    await connectOnce(second).catch((later) => {
      throw isAboutEncryption(later) ? error : later;
    });
    return second;
  }
}

/** Whether the driver can parse this URL. */
export function isDatabaseUrl(url: string): boolean {
  try {
    new pg.Client({ connectionString: split(url).bare });
    return true;
  } catch {
    return false;
  }
}

function split(url: string): { bare: string; params: URLSearchParams; isSocket: boolean } {
  const [base = '', query = ''] = url.split(/\?(.*)/s);
  const params = new URLSearchParams(query);
  const others = new URLSearchParams([...params].filter(([name]) => !OURS.includes(name)));
  const bare = OURS.some((name) => params.has(name)) ? base + (others.size > 0 ? `?${others}` : '') : url;
  const isSocket =
    /^\w+:\/\/(?:[^@/]*@)?(?:%2f|\/)/i.test(base) && !(params.get('host') ?? '/').match(/^[^/]/);
  return { bare, params, isSocket };
}

function modeOf(params: URLSearchParams): Mode | undefined {
  const named = params.get('sslmode');
  if (named === null) return /^(?:true|1)$/.test(params.get('ssl') ?? '') ? 'require' : undefined;
  if (MODES.includes(named as Mode)) return named as Mode;
  throw new Refusal(
    `The database URL has an sslmode that does not exist: set sslmode to one of ${MODES.join(', ')}.`,
  );
}

function tlsOf(params: URLSearchParams): NonNullable<pg.ClientConfig['ssl']> {
  const mode = modeOf(params) ?? 'disable';
  if (mode === 'disable' || mode === 'allow') return false;
  const rootCert = params.get('sslrootcert');
  const own = { ...fileOf(params, 'sslcert', 'cert'), ...fileOf(params, 'sslkey', 'key') };
  // As in libpq, `require` verifies the server's certificate if a root certificate is given.
  const verifies =
    mode === 'verify-ca' || mode === 'verify-full' || (mode === 'require' && rootCert !== null);
  if (!verifies) return { ...own, rejectUnauthorized: false };
  if (rootCert === 'system' && mode !== 'verify-full')
    throw new Refusal(
      `The database URL has sslrootcert=system with sslmode=${mode}, which accepts any certificate of a public authority: set sslmode=verify-full.`,
    );
  if (rootCert === null && mode === 'verify-ca')
    throw new Refusal(
      'The database URL has sslmode=verify-ca without sslrootcert: name the file with the certificate of your authority, or set sslmode=verify-full.',
    );
  const authorities =
    rootCert === null
      ? {}
      : rootCert === 'system'
        ? { ca: getCACertificates('system') }
        : fileOf(params, 'sslrootcert', 'ca');
  const identity = mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined };
  return { ...own, ...authorities, ...identity, rejectUnauthorized: true };
}

function fileOf(
  params: URLSearchParams,
  name: string,
  option: 'ca' | 'cert' | 'key',
): Record<string, string> {
  const path = params.get(name);
  if (path === null) return {};
  try {
    return { [option]: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new Refusal(
      `The file that ${name} in the database URL names cannot be read: ${(error as Error).message}.`,
    );
  }
}

/** The URL with this mode. `prefer` and `allow` verify no certificate, even if files are configured. */
function withMode(url: string, mode: Mode): string {
  const [base = '', query = ''] = url.split(/\?(.*)/s);
  const params = new URLSearchParams(query);
  for (const name of ['ssl', 'sslrootcert', 'uselibpqcompat']) params.delete(name);
  params.set('sslmode', mode);
  return `${base}?${params}`;
}

async function connectOnce(url: string): Promise<void> {
  const client = new pg.Client({
    ...connectionOf(url),
    application_name: 'sixdigit start',
    connectionTimeoutMillis: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether a connection failed because the server requires or refuses encryption. */
function isAboutEncryption(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    isTlsFailure(error) ||
    (code === '28000' && /pg_hba\.conf/.test(message)) ||
    // PgBouncer's message.
    /SSL required/i.test(message)
  );
}

/** Whether the TLS handshake or the certificate check failed. */
export function isTlsFailure(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    /does not support SSL|error establishing an SSL/i.test(message) ||
    /^ERR_(?:SSL|TLS)_|CERT|UNABLE_TO_|HOSTNAME_MISMATCH|^EPROTO$/.test(code)
  );
}
