import type { SecondFactors } from '@sixdigit/contract/second-factors/second-factors.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { selectAuthenticator } from './authenticator.ts';
import { ANY_SUSPECTED, selectPasskeys } from './passkey-queries.ts';
import { countRecoveryCodes } from './recovery-codes.ts';

/** The second factors of an account, besides codes by e-mail and SMS. */
export interface OwnedFactors {
  has_passkey: boolean;
  has_authenticator: boolean;
  has_recovery_codes: boolean;
  /** The counter of a passkey did not grow in the last day, so its owner may need another factor. */
  is_passkey_suspected: boolean;
}

export const ownedFactors = (sql: Queryable, account_id: string): Promise<OwnedFactors> =>
  sql.one(
    `select exists (select from passkeys where account_id = $1) as has_passkey,
       exists (select from authenticators where account_id = $1 and confirmed_at is not null) as has_authenticator,
       exists (select from recovery_codes where account_id = $1) as has_recovery_codes,
       ${ANY_SUSPECTED} as is_passkey_suspected`,
    [account_id],
  );

/** Whether signing in asks for one of them. */
export const isAsked = ({ has_passkey, has_authenticator }: OwnedFactors): boolean =>
  has_passkey || has_authenticator;

export async function secondFactorsOf(sql: Queryable, account_id: string): Promise<SecondFactors> {
  const [passkeys, authenticator = null, recovery_codes_left] = await Promise.all([
    selectPasskeys(sql, account_id),
    selectAuthenticator(sql, account_id),
    countRecoveryCodes(sql, account_id),
  ]);
  return { passkeys, authenticator, recovery_codes_left };
}
