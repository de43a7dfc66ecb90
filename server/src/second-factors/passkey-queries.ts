import type { Passkey } from '#contract/passkeys.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';

const PASSKEY = 'id, name, is_synced, created_at, last_used_at';

export const selectPasskeys = (sql: Queryable, account_id: string): Promise<Passkey[]> =>
  sql.rows(`select ${PASSKEY} from passkeys where account_id = $1 order by id`, [account_id]);

interface StoredCredential {
  id: string;
  account_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  transports: string[];
}

export const credentialsOf = (
  sql: Queryable,
  account_id: string,
): Promise<Pick<StoredCredential, 'credential_id' | 'transports'>[]> =>
  sql.rows('select credential_id, transports from passkeys where account_id = $1 order by id', [account_id]);

export const findCredential = (
  sql: Queryable,
  credential_id: Buffer,
): Promise<StoredCredential | undefined> =>
  sql.maybe(
    'select id, account_id, credential_id, public_key, transports from passkeys where credential_id = $1',
    [credential_id],
  );

/**
 * Stores what the authenticator counted. Returns 0 if its count did not grow: the passkey was copied, or this signature was used
 * before. Authenticators that do not count report 0 (WebAuthn Level 3, 6.1.1).
 */
export const noteUse = (
  tx: Tx,
  id: string,
  { counter, is_synced }: { counter: number; is_synced: boolean },
): Promise<number> =>
  tx.run(
    `update passkeys set counter = $2, is_synced = $3, last_used_at = clock_now()
     where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
    [id, counter, is_synced],
  );

export interface NewPasskey {
  id: string;
  account_id: string;
  credential_id: Buffer;
  public_key: Uint8Array;
  counter: number;
  transports: readonly string[];
  name: string;
  is_synced: boolean;
}

/** Undefined if the credential is registered already, here or by another account. */
export const insertPasskey = (tx: Tx, passkey: NewPasskey): Promise<Passkey | undefined> =>
  tx.maybe(
    `insert into passkeys (id, account_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, clock_now())
     on conflict (credential_id) do nothing returning ${PASSKEY}`,
    [
      passkey.id,
      passkey.account_id,
      passkey.credential_id,
      Buffer.from(passkey.public_key),
      passkey.counter,
      passkey.transports,
      passkey.name,
      passkey.is_synced,
    ],
  );

export const updateName = (
  tx: Tx,
  { account_id, id }: { account_id: string; id: string },
  name: string,
): Promise<(Passkey & { old_name: string }) | undefined> =>
  tx.maybe(
    `with old as (select id as old_id, name as old_name from passkeys where id = $2 and account_id = $1 for update)
     update passkeys set name = $3 from old where id = old_id returning ${PASSKEY}, old_name`,
    [account_id, id, name],
  );

export const deletePasskey = (
  tx: Tx,
  { account_id, id }: { account_id: string; id: string },
): Promise<{ name: string } | undefined> =>
  tx.maybe('delete from passkeys where id = $2 and account_id = $1 returning name', [account_id, id]);

export const deletePasskeysOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from passkeys where account_id = $1', [account_id]);

export const countPasskeys = async (sql: Queryable, account_id: string): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from passkeys where account_id = $1', [account_id])).n;
