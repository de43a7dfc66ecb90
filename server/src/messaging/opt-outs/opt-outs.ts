export { type InboundKeyword, inboundKeyword } from './inbound-keyword.ts';

import type { Queryable, Sql } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { hex } from '../../platform/security/hex.ts';

/** The keyed hash of a number in the opt-out list. It outlives the erasure of the recipient. */
export const optOutFingerprint = (app: Needs<'vault'>, recipient: string): Buffer =>
  app.vault.fingerprint('opt-out', recipient);

/** Hashes under every known server key, so that a STOP outlives key rotation. */
export const optOutHexes = (app: Needs<'vault'>, recipient: string): string[] =>
  app.vault.fingerprints('opt-out', recipient).map(hex);

export const optOut = (sql: Queryable, fingerprint: Buffer): Promise<number> =>
  sql.run('insert into opt_outs (fingerprint, created_at) values ($1, clock_now()) on conflict do nothing', [
    fingerprint,
  ]);

/** When the number opted out; undefined if it did not. */
export const findOptOutOf = async (sql: Queryable, fingerprints: Buffer[]): Promise<string | undefined> =>
  (
    await sql.maybe<{ created_at: string }>(
      'select created_at from opt_outs where fingerprint = any ($1) order by created_at limit 1',
      [fingerprints],
    )
  )?.created_at;

export const optIn = (sql: Queryable, fingerprints: Buffer[]): Promise<number> =>
  sql.run('delete from opt_outs where fingerprint = any ($1)', [fingerprints]);

/** Whether the number's owner replied STOP. Such a number receives no messages, including sign-in codes. */
export async function hasOptedOut(sql: Sql, app: Needs<'vault'>, phone: string): Promise<boolean> {
  const fingerprints = app.vault.fingerprints('opt-out', phone);
  return (
    (await sql.maybe('select 1 from opt_outs where fingerprint = any ($1)', [fingerprints])) !== undefined
  );
}
