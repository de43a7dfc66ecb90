/**
 * The people who left an account or were removed from it. They do not come back by single sign-on, only by an invitation. While a
 * person exists, `former_members` names them; a trigger maintains it. The keyed hashes of their addresses and identities outlive
 * them, so that nobody deletes their profile in order to join as a new person.
 */

import type { Queryable, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Identity } from './queries.ts';

interface Member {
  account_id: string;
  person_id: string;
}

const PURPOSE = 'former-member';
const ofAddress = (email: string): string => `address:${email}`;
const ofIdentity = ({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string =>
  JSON.stringify([issuer, subject]);

/** Call it before the person's membership ends. */
export async function rememberMember(
  tx: Tx,
  app: Needs<'vault'>,
  { account_id, person_id, email }: Member & { email: string },
): Promise<void> {
  await rememberTexts(tx, app, account_id, [ofAddress(email)]);
  await rememberIdentities(tx, app, { account_id, person_id });
}

/** Call it before identities are deleted: of one member, or of all. */
export async function rememberIdentities(
  tx: Tx,
  app: Needs<'vault'>,
  { account_id, person_id }: { account_id: string; person_id: string | null },
): Promise<void> {
  const identities = await tx.rows<{ issuer: string; subject: string }>(
    'select issuer, subject from identities where account_id = $1 and ($2::uuid is null or person_id = $2)',
    [account_id, person_id],
  );
  await rememberTexts(tx, app, account_id, identities.map(ofIdentity));
}

/** Call it when a member's address changes: the earlier address does not join as another person. `accounts`: the person's. */
export async function rememberAddress(
  tx: Tx,
  app: Needs<'vault'>,
  { person_id, email, accounts }: { person_id: string; email: string; accounts: readonly string[] },
): Promise<void> {
  const left = await tx.rows<{ account_id: string }>(
    'select account_id from former_members where person_id = $1',
    [person_id],
  );
  const all = new Set([...accounts, ...left.map(({ account_id }) => account_id)]);
  for (const account_id of [...all].sort()) await rememberTexts(tx, app, account_id, [ofAddress(email)]);
}

const rememberTexts = (
  tx: Tx,
  app: Needs<'vault'>,
  account_id: string,
  texts: readonly string[],
): Promise<number> =>
  tx.run(
    `insert into former_member_hashes (account_id, hash, left_at) select $1, unnest($2::bytea[]), clock_now()
     on conflict do nothing`,
    [account_id, texts.map((text) => app.vault.fingerprint(PURPOSE, text))],
  );

/** Whether the person, the address or the identity was a member's. Lock the account first. */
export const isFormerMember = async (
  sql: Queryable,
  app: Needs<'vault'>,
  { identity, person_id, email }: { identity: Identity; person_id: string | null; email: string },
): Promise<boolean> =>
  (await sql.maybe(
    `select 1 from former_members where account_id = $1 and person_id = $2
     union all select 1 from former_member_hashes where account_id = $1 and hash = any ($3)`,
    [
      identity.account_id,
      person_id,
      [ofAddress(email), ofIdentity(identity)].flatMap((text) => app.vault.fingerprints(PURPOSE, text)),
    ],
  )) !== undefined;

export async function deleteFormerMembersOf(tx: Tx, account_id: string): Promise<void> {
  await tx.run('delete from former_members where account_id = $1', [account_id]);
  await tx.run('delete from former_member_hashes where account_id = $1', [account_id]);
}
