import { isTlsFailure } from '../../../platform/db/tls.ts';

const ADVICE: Record<string, string | undefined> = {
  '28P01': 'Correct the password in DATABASE_URL.',
  '28000': "Allow this user and address in the server's pg_hba.conf.",
  '3D000': 'Create the database, or name the right one in DATABASE_URL.',
  '53300': 'Raise max_connections of the server, or use a pooler.',
};
/** Advice for a database that cannot be used. */
export const adviceFor = (error: unknown): string =>
  (isTlsFailure(error) ? 'See sslmode and sslrootcert of DATABASE_URL (docs/operating.md).' : undefined) ??
  ADVICE[String((error as { code?: unknown }).code)] ??
  'Start it, and check host and port in DATABASE_URL and any firewall.';
