import type { SsoBegun, SsoReply } from '@sixdigit/contract/accounts/sso.ts';
import { canonicalEmail } from '@sixdigit/contract/addresses/email-address.ts';
import type { FailureReason } from '@sixdigit/contract/errors.ts';
import { record } from '../../audit/audit.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { PersonCaller } from '../../platform/http/serve.ts';
import type { App } from '../account.ts';
import {
  reserve,
  SSO_CALLBACKS_BY_ADDRESS,
  SSO_JOINS_BY_ACCOUNT,
  SSO_STARTS_BY_ADDRESS,
  SSO_STEP_UPS_BY_SESSION,
  throttle,
  uncount,
} from '../limits.ts';
import type { Client } from '../sessions/client.ts';
import { markProven } from '../sessions/sessions.ts';
import { findSsoSession } from '../sessions/sso-people.ts';
import { hashOfToken } from '../sessions/tokens.ts';
import {
  type Claims,
  consumeLogin,
  deniedBy,
  findIdentity,
  findSso,
  findSsoByDomain,
  insertLogin,
  isLoginUsed,
  noteFailure,
  ProviderProblem,
  redirectOf,
  type SsoRow,
  selectSsoByIssuer,
  ssoSealOf,
} from '../sso/sso.ts';
import { domainOf, signInFirstTime, signInMember } from './sso-joining.ts';

/**
 * Sign-ins at an account's own identity provider. The provider can name any address of the domain that its account has proven. It
 * never opens another account: the session is bound to its account, and a person who existed before must sign in otherwise once
 * before the identity is linked.
 *
 * The state is random and stored as a hash; nonce and PKCE verifier are derived from it under the server key. A second token
 * stays in the browser that began, so a callback that an attacker passes on does nothing in another browser.
 *
 * Against mix-up (RFC 9700, 4.4), each account has a redirect URL of its own: a code of one account's provider comes back to that
 * account, and never reaches the provider of another. Sign-ins with the URL that all accounts once shared need `iss` (RFC 9207).
 */
export async function startSsoOf(
  app: App,
  { email, client }: { email: string; client: Client },
): Promise<SsoBegun> {
  await reserve(app, [throttle(SSO_STARTS_BY_ADDRESS, client.network)]);
  const sso = await findSsoByDomain(app.db, domainOf(email));
  if (!sso) throw new Failure('no_sso');
  return begin(app, sso, { login_hint: email });
}

/**
 * For a sign-in that begins at the provider (OpenID Connect Core 1.0, 4), which names itself. Throws `sso_issuer_unknown` unless the
 * issuer, or the issuer and the domain of the hint, select one account.
 */
export async function startSsoByIssuerOf(
  app: App,
  { iss, login_hint, client }: { iss: string; login_hint?: string | undefined; client: Client },
): Promise<SsoBegun> {
  await reserve(app, [throttle(SSO_STARTS_BY_ADDRESS, client.network)]);
  const email = login_hint === undefined ? undefined : canonicalEmail(login_hint);
  const domain = email === undefined ? '' : domainOf(email);
  const [first, second] = await selectSsoByIssuer(app.db, iss, domain);
  if (!first || (second && first.domain !== domain)) throw new Failure('sso_issuer_unknown');
  return begin(app, first, login_hint === undefined ? {} : { login_hint });
}

/** Only for SSO sessions: the provider authenticates the user again. */
export async function startSsoStepUpOf(app: App, caller: PersonCaller): Promise<SsoBegun> {
  const { session_id, sso_account_id } = caller;
  const sso = sso_account_id === null ? undefined : await findSso(app.db, sso_account_id);
  if (!sso) throw new Failure('step_up_method_refused');
  await reserve(app, [throttle(SSO_STEP_UPS_BY_SESSION, session_id)]);
  return begin(app, sso, { session_id });
}

async function begin(
  app: App,
  sso: SsoRow,
  { session_id, login_hint }: { session_id?: string; login_hint?: string },
): Promise<SsoBegun> {
  const [state, login_token] = [app.random.token(), app.random.token()];
  const url = await callProvider(app, sso, () =>
    app.ssoProviders.authorizationUrl(clientOfProvider(app, sso), {
      ...requestOf(app, sso, state),
      ...(login_hint === undefined ? {} : { login_hint }),
      isStepUp: session_id !== undefined,
    }),
  );
  const { account_id, issuer, client_id } = sso;
  const hashes = { state_hash: hashOfToken(state), browser_hash: hashOfToken(login_token) };
  await insertLogin(app.db, { ...hashes, account_id, issuer, client_id, session_id: session_id ?? null });
  return { url, login_token };
}

export type ProviderSettings = Pick<SsoRow, 'account_id' | 'issuer' | 'client_id' | 'client_secret'>;

export const clientOfProvider = (
  app: Pick<App, 'vault'>,
  { account_id, issuer, client_id, client_secret }: ProviderSettings,
) => ({
  account_id,
  issuer,
  client_id,
  client_secret: app.vault.open(client_secret, ssoSealOf(account_id)),
});

export const requestOf = (
  { config, vault }: Pick<App, 'config' | 'vault'>,
  sso: Pick<SsoRow, 'account_id' | 'shared_redirect'>,
  state: string,
) => ({
  redirectUrl: redirectOf({ config }, sso),
  needsIssuer: sso.shared_redirect,
  state,
  nonce: vault.fingerprint('sso nonce', state).toString('base64url'),
  verifier: vault.fingerprint('sso verifier', state).toString('base64url'),
});

/** Turns a problem of the provider into a refusal. The owner sees the details in the settings, the user does not. */
async function callProvider<T>(app: App, sso: SsoRow, call: () => Promise<T>, client?: Client): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ProviderProblem)) throw error;
    throw await recordRefusal(app, sso, new Failure(error.reason, {}, { cause: error }), {
      text: error.message,
      client,
    });
  }
}

async function recordRefusal(
  app: App,
  { account_id }: SsoRow,
  failure: Failure,
  { text = failure.message, client }: { text?: string; client?: Client | undefined },
): Promise<Failure> {
  await noteFailure(app.db, account_id, text);
  if (client) app.failedSignIns.count({ of_account: account_id, subject: `Single sign-on: ${text}`, client });
  return failure;
}

interface Callback {
  login_token: string;
  account_id?: string | undefined;
  state?: string | undefined;
  code?: string | undefined;
  iss?: string | undefined;
  provider_error?: string | undefined;
  client: Client;
}

export async function finishSsoOf(
  app: App,
  { login_token, state, client, ...given }: Callback,
): Promise<SsoReply> {
  const reservation = await reserve(app, [throttle(SSO_CALLBACKS_BY_ADDRESS, client.network)]);
  const { provider_error } = given;
  if (state === undefined && provider_error === undefined) throw new Failure('invalid_sso_login');
  const state_hash = state === undefined ? null : hashOfToken(state);
  const hashes = { state_hash, browser_hash: hashOfToken(login_token) };
  const login = await consumeLogin(app.db, hashes);
  if (!login) throw new Failure((await isLoginUsed(app.db, hashes)) ? 'sso_login_used' : 'invalid_sso_login');
  const sso = await findSso(app.db, login.account_id);
  // The settings have changed since.
  if (!sso || sso.issuer !== login.issuer || sso.client_id !== login.client_id)
    throw new Failure('invalid_sso_login');
  // Before any call to the provider: the code may be another provider's.
  if (given.account_id !== (sso.shared_redirect ? undefined : sso.account_id))
    throw await recordRefusal(app, sso, new Failure('sso_other_redirect'), { text: OTHER_REDIRECT, client });
  const isStepUp = login.session_id !== null;
  const claimsOf = async (): Promise<Claims> => {
    if (state === undefined || provider_error !== undefined) throw deniedBy(provider_error ?? '');
    const parameters = { state, code: given.code, iss: given.iss };
    const request = { ...requestOf(app, sso, state), parameters, isStepUp };
    return app.ssoProviders.claimsOf(clientOfProvider(app, sso), request);
  };
  const claims = await callProvider(app, sso, claimsOf, client);
  const reply =
    login.session_id === null
      ? await signIn(app, sso, claims, client)
      : await completeStepUp(app, sso, { claims, session_id: login.session_id, client });
  await reservation.release();
  if (!isStepUp) await uncount(app, throttle(SSO_STARTS_BY_ADDRESS, client.network));
  return reply;
}

const OTHER_REDIRECT =
  'The sign-in came back to the redirect URL of another account. Register the redirect URL that these settings show at the provider.';

/** The domain is checked at each sign-in, so a user who moved to another domain is refused. */
async function signIn(app: App, sso: SsoRow, claims: Claims, client: Client): Promise<SsoReply> {
  const { account_id } = sso;
  const email = canonicalEmail(claims.email);
  const problem = addressProblem(sso, claims, email);
  if (problem)
    throw await recordRefusal(app, sso, new Failure(problem.reason), { text: problem.text, client });
  if (email === undefined) throw new Failure('sso_no_email');
  const identity = { account_id, issuer: claims.issuer, subject: claims.subject };
  const signInKnown = async (): Promise<SsoReply | undefined> => {
    const known = await findIdentity(app.db, identity);
    return (
      known &&
      app.db.transaction((tx) => signInMember(tx, app, { sso, identity, person_id: known.person_id, client }))
    );
  };
  const entered = await signInKnown();
  if (entered) return entered;
  const reservation = await reserve(app, [throttle(SSO_JOINS_BY_ACCOUNT, account_id)]);
  const reply = await app.db.transaction((tx) =>
    signInFirstTime(tx, app, { sso, identity, claims, email, client }),
  );
  if (reply?.access === undefined) await reservation.release();
  else app.wakeups.notify('notices');
  const result = reply ?? (await signInKnown());
  // The identity was forgotten since.
  if (!result) throw new Failure('invalid_sso_login');
  return result;
}

/** What is wrong with the address in the claims, as a sentence for the owner. */
export function addressProblem(
  { is_proven, domain }: Pick<SsoRow, 'is_proven' | 'domain'>,
  { email: given, verification, isEmailVerified }: Claims,
  email: string | undefined,
): { reason: FailureReason; text: string } | undefined {
  if (!is_proven) return { reason: 'no_sso', text: `The domain ${domain} is no longer verified.` };
  if (given === '') return { reason: 'sso_no_email', text: 'The ID token has no email address.' };
  if (email === undefined)
    return { reason: 'sso_no_email', text: 'The email claim in the ID token is not an email address.' };
  if (!isEmailVerified)
    return {
      reason: 'sso_email_not_verified',
      text:
        verification === 'missing'
          ? 'The ID token has no email_verified (Microsoft Entra ID: xms_edov).'
          : `${verification} in the ID token is not true.`,
    };
  if (domainOf(email) !== domain)
    return { reason: 'sso_other_domain', text: `The email address in the ID token is not in ${domain}.` };
  return undefined;
}

/** The end of a step-up: the same identity has signed in at the provider just now. */
async function completeStepUp(
  app: App,
  sso: SsoRow,
  { claims, session_id, client }: { claims: Claims; session_id: string; client: Client },
): Promise<SsoReply> {
  const { account_id } = sso;
  const identity = { account_id, issuer: claims.issuer, subject: claims.subject };
  const proven_until = await app.db.transaction(async (tx) => {
    const known = await findIdentity(tx, identity);
    const session = await findSsoSession(tx, session_id);
    if (!session || session.sso_account_id !== account_id) throw new Failure('invalid_sso_login');
    const { person_id } = session;
    if (known?.person_id !== person_id) throw new Failure('sso_other_person');
    const until = await markProven(tx, session_id);
    if (until === undefined) throw new Failure('invalid_sso_login');
    const by = { account_id, person_id, actor: 'owner', origin: client } as const;
    await record(tx, app, { ...by, action: 'step_up.succeed', subject: 'Single sign-on' });
    return until;
  });
  return { account_id, proven_until };
}
