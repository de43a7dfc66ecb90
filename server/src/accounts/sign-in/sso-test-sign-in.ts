import { SSO_TEST_STATE, type SsoBody, type SsoTestReply } from '@sixdigit/contract/accounts/sso.ts';
import { canonicalEmail } from '@sixdigit/contract/addresses/email-address.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { PersonCaller, UserCaller } from '../../platform/http/serve.ts';
import type { App } from '../account.ts';
import { reserve, SSO_TESTS_BY_ACCOUNT, throttle } from '../limits.ts';
import { findRole } from '../members/queries.ts';
import { findPersonByEmail } from '../queries.ts';
import { hashOfToken } from '../sessions/tokens.ts';
import {
  type Claims,
  consumeTest,
  type Draft,
  deniedBy,
  draftOf,
  findIdentity,
  findSso,
  insertTest,
  isFormerMember,
  ProviderProblem,
} from '../sso/sso.ts';
import { addressProblem, clientOfProvider, requestOf } from './sso-sign-in.ts';

/**
 * Test sign-ins: an owner sees what the provider sends, before or after the settings are saved. They change nothing: no session, no
 * member, no trace in the settings. Only the session that began a test can complete it, so the result is shown to nobody else.
 */
export async function startSsoTestOf(
  app: App,
  { account_id, session_id }: UserCaller,
  body: Pick<SsoBody, 'issuer' | 'client_id' | 'client_secret' | 'domain' | 'default_role'>,
): Promise<{ url: string }> {
  const draft = await draftOf(app, account_id, body);
  await reserve(app, [throttle(SSO_TESTS_BY_ACCOUNT, account_id)]);
  // Reads the discovery document anew: its problem may just have been mended.
  const problem = await app.ssoProviders.problemOf(draft);
  if (problem !== null) throw new FieldErrors({ issuer: [problem] });
  const state = SSO_TEST_STATE + app.random.token();
  const request = { ...requestIn(app, draft, state), isStepUp: false };
  const url = await app.ssoProviders
    .authorizationUrl(clientOfProvider(app, draft), request)
    .catch((error: unknown) => {
      throw error instanceof ProviderProblem ? new FieldErrors({ issuer: [error.message] }) : error;
    });
  const hashes = { state_hash: hashOfToken(state), browser_hash: hashOfToken(app.random.token()) };
  await insertTest(app.db, { ...hashes, draft, session_id });
  return { url };
}

/** Also while sign-ins use the shared redirect URL: a test then shows whether the provider knows that of the account. */
const requestIn = (app: App, { account_id }: Draft, state: string) =>
  requestOf(app, { account_id, shared_redirect: false }, state);

interface Callback {
  account_id: string;
  state: string;
  code?: string | undefined;
  iss?: string | undefined;
  provider_error?: string | undefined;
}

/** Throws `invalid_sso_login` for a state that is not that of a test of this session, or if its person is no longer an owner. */
export async function finishSsoTestOf(
  app: App,
  { person_id, session_id }: PersonCaller,
  { account_id, state, ...given }: Callback,
): Promise<SsoTestReply> {
  const draft = await consumeTest(app.db, { state_hash: hashOfToken(state), account_id, session_id });
  if (!draft || (await findRole(app.db, account_id, person_id)) !== 'owner')
    throw new Failure('invalid_sso_login');
  const sso = await findSso(app.db, account_id);
  const { domain } = draft;
  const found = {
    domain,
    is_domain_verified: sso?.domain === domain && sso.is_proven,
    user: null,
    role: null,
    membership: null,
  };
  try {
    if (given.provider_error !== undefined) throw deniedBy(given.provider_error);
    const parameters = { state, code: given.code, iss: given.iss };
    const request = { ...requestIn(app, draft, state), parameters, isStepUp: false };
    const claims = await app.ssoProviders.claimsOf(clientOfProvider(app, draft), request);
    return { ...found, ...(await resultOf(app, draft, claims)) };
  } catch (error) {
    if (error instanceof ProviderProblem) return { ...found, problem: error.message };
    throw error;
  }
}

const EMAIL_SHOWN = 320;

/** Does not reveal whether a person who is not a member is registered: nobody has proven the domain yet. */
async function resultOf(
  app: App,
  draft: Draft,
  claims: Claims,
): Promise<Pick<SsoTestReply, 'problem' | 'user' | 'role' | 'membership'>> {
  const { account_id, default_role } = draft;
  const email = canonicalEmail(claims.email);
  const name = `${claims.firstName} ${claims.lastName}`.trim();
  const user = { subject: claims.subject, email: claims.email.slice(0, EMAIL_SHOWN), name };
  const refused = (problem: string) => ({ user, problem, role: null, membership: null });
  const problem = addressProblem({ domain: draft.domain, is_proven: true }, claims, email);
  if (problem || email === undefined) return refused(problem?.text ?? '');

  const identity = { account_id, issuer: claims.issuer, subject: claims.subject };
  const known = await findIdentity(app.db, identity);
  const person_id = known?.person_id ?? (await findPersonByEmail(app.db, email))?.id ?? null;
  const role = (await findRole(app.db, account_id, person_id)) ?? null;
  if (role !== null) return { problem: null, user, role, membership: known ? 'linked' : 'member' };
  if (known || (await isFormerMember(app.db, app, { identity, person_id, email })))
    return refused('This person left the account or was removed. They need an invitation.');
  return { problem: null, user, role: default_role, membership: 'new' };
}
