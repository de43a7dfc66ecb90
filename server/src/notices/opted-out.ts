import type { Sql } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';

/** Whether the number's owner replied STOP. Such a number receives no messages, including sign-in codes. */
export async function hasOptedOut(sql: Sql, app: Needs<'vault'>, phone: string): Promise<boolean> {
  const fingerprints = app.vault.fingerprints('opt-out', phone);
  const found = await sql.maybe('select 1 from opt_outs where fingerprint = any ($1)', [fingerprints]);
  return found !== undefined;
}
