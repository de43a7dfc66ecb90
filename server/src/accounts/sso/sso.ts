/**
 * Single sign-on: an account's settings, the proof of its domain, the client of its identity provider and the identities there.
 * `accounts` begins and completes the sign-ins.
 */

import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { deleteFormerMembersOf } from './former-members.ts';
import { deleteIdentitiesOf, deleteLoginsOf, deleteSso, findSso } from './queries.ts';

export { isFormerMember, rememberAddress, rememberMember } from './former-members.ts';
export { type Claims, createProviders, deniedBy, ProviderProblem, type Providers } from './provider.ts';
export {
  consumeLink,
  consumeLogin,
  consumeTest,
  type Draft,
  findIdentity,
  findSso,
  findSsoByDomain,
  forgetIdentitiesOf,
  type Identity,
  insertIdentity,
  insertLink,
  insertLogin,
  insertTest,
  isLoginUsed,
  noteFailure,
  noteSignIn,
  oldLinks,
  oldLogins,
  type SsoRow,
  selectSsoByIssuer,
  touchIdentity,
} from './queries.ts';
export { draftOf, redirectOf, sealOf as ssoSealOf } from './settings.ts';

/** Deletes everything when the account is deleted. */
export async function forgetSsoOf(tx: Tx, account_id: string): Promise<void> {
  await deleteSso(tx, account_id);
  await deleteLoginsOf(tx, account_id);
  await deleteIdentitiesOf(tx, account_id);
  await deleteFormerMembersOf(tx, account_id);
}

/**
 * Call it before an owner loses that role or leaves, under the account's lock. Throws `sso_exempt_owner` if the person is the way
 * in while single sign-on is required.
 */
export async function mustNotBeExempt(
  tx: Tx,
  { account_id, person_id }: { account_id: string; person_id: string },
): Promise<void> {
  const sso = await findSso(tx, account_id);
  if (sso?.required && sso.exempt_person_id === person_id) throw new Failure('sso_exempt_owner');
}
