import type { Passkey } from '@sixdigit/contract/second-factors/passkeys.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';

const PASSKEY = 'id, name, is_synced, created_at, last_used_at';

export const selectPasskeys = (sql: Queryable, person_id: string): Promise<Passkey[]> =>
  sql.rows(`select ${PASSKEY} from passkeys where person_id = $1 order by id`, [person_id]);

interface StoredCredential {
  id: string;
  person_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  transports: string[];
}

export const credentialsOf = (
  sql: Queryable,
  person_id: string,
): Promise<Pick<StoredCredential, 'credential_id' | 'transports'>[]> =>
  sql.rows('select credential_id, transports from passkeys where person_id = $1 order by id', [person_id]);

export const findCredential = (
  sql: Queryable,
  credential_id: Buffer,
): Promise<StoredCredential | undefined> =>
  sql.maybe(
    'select id, person_id, credential_id, public_key, transports from passkeys where credential_id = $1',
    [credential_id],
  );

/** The authenticator's data that comes with a signature. */
export interface PasskeyUse {
  counter: number;
  is_synced: boolean;
  is_syncable: boolean;
}

/**
 * Stores a use. Returns 0 if the counter did not grow, because the passkey may have been copied (WebAuthn Level 3, 7.2, step
 * 22). The counters of passkeys that can be synchronized are ignored, because their devices may count separately. A passkey is
 * treated as synchronizable only if it reported this earlier, in a use whose counter grew, so that a copy cannot claim it.
 * Authenticators without a counter report 0 (6.1.1).
 */
export const noteUse = (
  tx: Tx,
  id: string,
  { counter, is_synced, is_syncable }: PasskeyUse,
): Promise<number> =>
  tx.run(
    `update passkeys set counter = $2, is_synced = $3, is_syncable = is_syncable or $4, suspected_at = null,
       last_used_at = clock_now()
     where id = $1 and (is_syncable or counter < $2 or (counter = 0 and $2 = 0))`,
    [id, counter, is_synced, is_syncable],
  );

/** A passkey is suspected for a day, or until a use whose counter grows. */
const SUSPECTED = "coalesce(suspected_at > clock_now() - interval '1 day', false)";
export const ANY_SUSPECTED = `exists (select from passkeys where person_id = $1 and ${SUSPECTED})`;

/** Marks the passkey as suspected. `is_first` is false if it already was, so that its owner gets at most one notice a day. */
export const suspect = async (tx: Tx, id: string): Promise<{ name: string; is_first: boolean } | undefined> =>
  tx.maybe(
    `update passkeys set suspected_at = case when is_first then clock_now() else suspected_at end
     from (select id as old_id, not ${SUSPECTED} as is_first from passkeys where id = $1 for update) old
     where id = old_id returning name, is_first`,
    [id],
  );

export interface NewPasskey {
  id: string;
  person_id: string;
  credential_id: Buffer;
  public_key: Uint8Array;
  counter: number;
  transports: readonly string[];
  name: string;
  is_synced: boolean;
  is_syncable: boolean;
}

/** Undefined if the credential is already registered, here or by another person. */
export const insertPasskey = (tx: Tx, passkey: NewPasskey): Promise<Passkey | undefined> =>
  tx.maybe(
    `insert into passkeys (id, person_id, credential_id, public_key, counter, transports, name, is_synced,
       is_syncable, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_now())
     on conflict (credential_id) do nothing returning ${PASSKEY}`,
    [
      passkey.id,
      passkey.person_id,
      passkey.credential_id,
      Buffer.from(passkey.public_key),
      passkey.counter,
      passkey.transports,
      passkey.name,
      passkey.is_synced,
      passkey.is_syncable,
    ],
  );

export const updateName = (
  tx: Tx,
  { person_id, id }: { person_id: string; id: string },
  name: string,
): Promise<(Passkey & { old_name: string }) | undefined> =>
  tx.maybe(
    `with old as (select id as old_id, name as old_name from passkeys where id = $2 and person_id = $1 for update)
     update passkeys set name = $3 from old where id = old_id returning ${PASSKEY}, old_name`,
    [person_id, id, name],
  );

export const deletePasskey = (
  tx: Tx,
  { person_id, id }: { person_id: string; id: string },
): Promise<{ name: string } | undefined> =>
  tx.maybe('delete from passkeys where id = $2 and person_id = $1 returning name', [person_id, id]);

export const deletePasskeysOf = (tx: Tx, person_id: string): Promise<number> =>
  tx.run('delete from passkeys where person_id = $1', [person_id]);

export const countPasskeys = async (sql: Queryable, person_id: string): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from passkeys where person_id = $1', [person_id])).n;
