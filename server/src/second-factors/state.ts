import type { SecondFactors } from '#contract/second-factors.ts';
import type { Queryable } from '../platform/db/sql.ts';
import { selectAuthenticator } from './authenticator.ts';
import { selectPasskeys } from './passkey-queries.ts';
import { countRecoveryCodes } from './recovery-codes.ts';

/** The second factors of an account, besides codes by e-mail and SMS. */
export interface OwnedFactors {
  has_passkey: boolean;
  has_authenticator: boolean;
  has_recovery_codes: boolean;
}

export const ownedFactors = (sql: Queryable, account_id: string): Promise<OwnedFactors> =>
  sql.one(
    `select exists (select from passkeys where account_id = $1) as has_passkey,
       exists (select from authenticators where account_id = $1 and confirmed_at is not null) as has_authenticator,
       exists (select from recovery_codes where account_id = $1) as has_recovery_codes`,
    [account_id],
  );

/** Whether signing in asks for one of them. */
export const isAsked = ({ has_passkey, has_authenticator }: OwnedFactors): boolean =>
  has_passkey || has_authenticator;

/** The same as an SQL condition. */
export const ownsFactor = (account_id: string): string =>
  `(exists (select from passkeys where account_id = ${account_id})
    or exists (select from authenticators where account_id = ${account_id} and confirmed_at is not null))`;

export async function secondFactorsOf(sql: Queryable, account_id: string): Promise<SecondFactors> {
  const [passkeys, authenticator = null, recovery_codes_left] = await Promise.all([
    selectPasskeys(sql, account_id),
    selectAuthenticator(sql, account_id),
    countRecoveryCodes(sql, account_id),
  ]);
  return { passkeys, authenticator, recovery_codes_left };
}
