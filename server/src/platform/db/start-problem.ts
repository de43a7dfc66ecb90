import { isTlsFailure } from './tls.ts';

type Failed = Error & { code?: string; path?: string; syscall?: string; errors?: Error[] };

/** Describes a failed start that the database caused, in one sentence for the operator. Undefined for other errors. */
export function databaseStartProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const failed = (error as Failed).errors?.[0] ?? error;
  const { code = '', message } = failed as Failed;
  const isConnecting = /^(?:connect|getaddrinfo)$/.test((failed as Failed).syscall ?? '');
  if (isTlsFailure(failed)) return tlsProblem(code, message);
  if (/client password must be/.test(message))
    return 'The database requires a password, and DATABASE_URL has none: add it.';
  if (isConnecting || /timeout expired|timeout exceeded|Connection terminated/i.test(message))
    return `The database cannot be reached (${message}): start it, and check host and port in DATABASE_URL and any firewall.`;
  return SENTENCES[code]?.(message);
}

const SENTENCES: Record<string, ((message: string) => string) | undefined> = {
  '28P01': (message) =>
    `The database refuses the password (${message}): put the right user and password into DATABASE_URL.`,
  '28000': (message) =>
    /no encryption/.test(message)
      ? `The database takes no connection without TLS (${message}): add sslmode=require to DATABASE_URL, or better sslmode=verify-full.`
      : `The database does not let this user in (${message}): name the right user in DATABASE_URL, or let it in by pg_hba.conf of the server.`,
  '3D000': (message) =>
    `The database does not exist (${message}): create it with \`createdb --owner=<user> <name>\`, or name the right one in DATABASE_URL.`,
  '42501': (message) =>
    `The database user lacks a right (${message}): make it the owner of the database, e.g. \`ALTER DATABASE <name> OWNER TO <user>\`, or grant it CREATE on the database and on the schema public.`,
  '53300': (message) =>
    `The database takes no more connections (${message}): raise max_connections of the server, or use a pooler.`,
  '57P03': (message) => `The database is not ready (${message}): start again in a moment.`,
};

function tlsProblem(code: string, message: string): string {
  if (/does not support SSL/i.test(message))
    return 'The database server offers no TLS, and sslmode in DATABASE_URL requires it: enable ssl on the server, or set sslmode=prefer or disable.';
  if (/ALTNAME|HOSTNAME/.test(code))
    return `The TLS certificate of the database server is for another name (${message}): name the host in DATABASE_URL as the certificate does, or set sslmode=verify-ca.`;
  if (/EXPIRED|NOT_YET_VALID/.test(code))
    return `The TLS certificate of the database server is not valid now (${message}): renew it, and check the clocks of both machines.`;
  if (/CERT|UNABLE_TO_/.test(code))
    return `The TLS certificate of the database server is not from an authority that is trusted here (${message}): name the authority's certificate with sslrootcert in DATABASE_URL, or set sslmode=require to encrypt without verifying.`;
  return `TLS with the database server failed (${message}): check sslmode in DATABASE_URL and the TLS versions that the server allows.`;
}
