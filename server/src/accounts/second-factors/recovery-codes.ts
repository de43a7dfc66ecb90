/**
 * Recovery codes replace the second factor of a user who has lost it. Each holds 80 random bits (NIST SP 800-63B-4, 4.2.1.1,
 * demands 64), is stored as a keyed hash, and is deleted when it is used.
 */

import type { SecondFactors } from '@sixdigit/contract/second-factors/second-factors.ts';
import { asciiDigits } from '@sixdigit/contract/text/digits.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { selectAuthenticator } from './authenticator.ts';
import { ANY_SUSPECTED, selectPasskeys } from './passkey-queries.ts';

const COUNT = 10;
const LENGTH = 16;
/** Crockford's base32: no letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Replaces the codes of the person and returns the new ones, the only time that they are shown. */
export async function replaceRecoveryCodes(
  tx: Tx,
  app: Needs<'random' | 'vault'>,
  person_id: string,
): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, () =>
    [...app.random.bytes(LENGTH)].map((byte) => ALPHABET[byte % 32]).join(''),
  );
  await deleteRecoveryCodes(tx, person_id);
  await tx.run(
    `insert into recovery_codes (person_id, hash, created_at)
     select $1, hash, clock_now() from unnest($2::bytea[]) hash`,
    [person_id, codes.map((code) => app.vault.fingerprint('recovery code', `${person_id}:${code}`))],
  );
  return codes.map((code) => code.match(/.{4}/g)?.join('-') ?? code);
}

/**
 * Returns true for the one request that uses the code. Recovery codes replace an app or a passkey, so a person without either
 * cannot use them.
 */
export async function consumeRecoveryCode(
  tx: Tx,
  app: Needs<'vault'>,
  { person_id, code }: { person_id: string; code: string },
): Promise<boolean> {
  const hashes = app.vault.fingerprints('recovery code', `${person_id}:${normalised(code)}`);
  return (
    (await tx.run(
      `delete from recovery_codes where person_id = $1 and hash = any ($2::bytea[]) and ${ownsFactor('$1')}`,
      [person_id, hashes],
    )) === 1
  );
}

/** Accepts upper and lower case, digits of any script and width, and any separators. O counts as 0, and I and L as 1. */
const normalised = (code: string): string =>
  asciiDigits(code)
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');

export const countRecoveryCodes = async (sql: Queryable, person_id: string): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from recovery_codes where person_id = $1', [person_id]))
    .n;

export const deleteRecoveryCodes = (tx: Tx, person_id: string): Promise<number> =>
  tx.run('delete from recovery_codes where person_id = $1', [person_id]);

/** The second factors of a person, besides codes by e-mail and SMS. */
export interface OwnedFactors {
  has_passkey: boolean;
  has_authenticator: boolean;
  has_recovery_codes: boolean;
  /** In the last day, a passkey was used whose counter did not grow, so its owner may need another factor. */
  is_passkey_suspected: boolean;
}

export const ownedFactors = (sql: Queryable, person_id: string): Promise<OwnedFactors> =>
  sql.one(
    `select exists (select from passkeys where person_id = $1) as has_passkey,
       exists (select from authenticators where person_id = $1 and confirmed_at is not null) as has_authenticator,
       exists (select from recovery_codes where person_id = $1) as has_recovery_codes,
       ${ANY_SUSPECTED} as is_passkey_suspected`,
    [person_id],
  );

/** Whether signing in asks for one of them. */
export const isAsked = ({ has_passkey, has_authenticator }: OwnedFactors): boolean =>
  has_passkey || has_authenticator;

export async function secondFactorsOf(sql: Queryable, person_id: string): Promise<SecondFactors> {
  const [passkeys, authenticator = null, recovery_codes_left] = await Promise.all([
    selectPasskeys(sql, person_id),
    selectAuthenticator(sql, person_id),
    countRecoveryCodes(sql, person_id),
  ]);
  return { passkeys, authenticator, recovery_codes_left };
}

/** Whether a person has an app or a passkey, as an SQL condition. */
export const ownsFactor = (person_id: string): string =>
  `(exists (select from passkeys where person_id = ${person_id})
    or exists (select from authenticators where person_id = ${person_id} and confirmed_at is not null))`;
