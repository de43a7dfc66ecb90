import {
  SSO_CALLBACK,
  SSO_SESSION_HOURS,
  SSO_START,
  type Sso,
  type SsoBody,
  type SsoState,
  ssoCallbackOf,
} from '@sixdigit/contract/accounts/sso.ts';
import { byOwner, changesBetween, record } from '../../audit/audit.ts';
import { notifyAccount } from '../../messaging/notices/notices.ts';
import { recordOf, type TxtLookup } from '../../platform/addresses/txt-lookup.ts';
import { type Config, pageUrl } from '../../platform/config.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { LocksMembers, UserCaller } from '../../platform/http/serve.ts';
import { targetProblem } from '../../platform/outbound/address.ts';
import type { Needs } from '../../platform/platform.ts';
import { listableDomain } from '../../protection/message-links/message-links.ts';
import { rememberIdentities } from './former-members.ts';
import type { Providers } from './provider.ts';
import {
  type Draft,
  deleteIdentitiesOf,
  deleteLoginsOf,
  deleteSso,
  findSso,
  type SsoRow,
  writeSso,
} from './queries.ts';

/** The platform and the ports to the people and sessions of the account. */
export type SsoApp = Needs<'config' | 'db' | 'random' | 'vault' | 'wakeups' | 'log'> &
  LocksMembers & {
    txtLookup: TxtLookup;
    providers: Providers;
    /** Whether the person is an owner of the account and has a password or passkey. */
    isOwnerWithProof(sql: Queryable, key: { account_id: string; person_id: string }): Promise<boolean>;
    /** Ends the account's SSO sessions, but for one. */
    endSsoSessionsOf(tx: Tx, account_id: string, except: string | null): Promise<unknown>;
    /** Ends the account's SSO sessions when they are this old, unless they end earlier. */
    shortenSsoSessionsOf(tx: Tx, account_id: string, hours: number): Promise<unknown>;
  };

const RECORD_NAME = '_otp-sign-in';
export const nameOf = (domain: string): string => `${RECORD_NAME}.${domain}`;

/** The redirect URL with which the account's sign-ins begin. */
export const redirectOf = (
  app: Needs<'config'>,
  { account_id, shared_redirect }: Pick<SsoRow, 'account_id' | 'shared_redirect'>,
): string => pageUrl(app, shared_redirect ? SSO_CALLBACK : ssoCallbackOf(account_id));

/** The context under which the client's secret is sealed. */
export const sealOf = (account_id: string): string => `sso client:${account_id}`;

function shown(row: SsoRow): Sso {
  const { account_id: _, client_secret: __, is_proven: ___, ...rest } = row;
  const { token, checked_at, problem, verified_at, failed_at, failure, ...settings } = rest;
  return {
    ...settings,
    record_name: nameOf(row.domain),
    record_value: recordOf(token),
    domain_problem: problem,
    domain_checked_at: checked_at,
    domain_verified_at: verified_at,
    last_failure: failed_at === null ? null : { at: failed_at, text: failure },
  };
}

export async function ssoOf(app: Needs<'config' | 'db'>, account_id: string): Promise<SsoState> {
  const row = await findSso(app.db, account_id);
  return {
    redirect_url: pageUrl(app, ssoCallbackOf(account_id)),
    start_url: pageUrl(app, SSO_START),
    settings: row ? shown(row) : null,
  };
}

export async function changeSso(app: SsoApp, caller: UserCaller, body: SsoBody): Promise<SsoState> {
  const issuer = readIssuer(app.config, body.issuer);
  const domain = readDomain(body.domain);
  const { account_id, session_id } = caller;
  const { default_role, required, client_id } = body;
  await app.db.transaction(async (tx) => {
    await app.lockMembers(tx, caller, 'owner', body.exempt_person_id ? [body.exempt_person_id] : []);
    const before = await findSso(tx, account_id);
    const isSameClient = before?.issuer === issuer && before.client_id === client_id;
    const isSameDomain = before?.domain === domain;
    const secret = sealedSecret(app, { account_id, body, before: isSameClient ? before : undefined });
    const exempt_person_id = exemptOf(body, before, caller);
    if (required) mustBeTried(before, { isSameClient, isSameDomain });
    await mustHaveWayIn(app, tx, { account_id, exempt_person_id, required });
    const after = await writeSso(tx, {
      ...{ account_id, issuer, client_id, client_secret: secret, domain, default_role, required },
      token: before && isSameDomain ? before.token : app.random.token(),
      exempt_person_id,
      session_hours: body.session_hours ?? before?.session_hours ?? SSO_SESSION_HOURS,
      shared_redirect: isSameClient && before.shared_redirect && body.shared_redirect === undefined,
    });
    if (before && !isSameClient) await app.endSsoSessionsOf(tx, account_id, session_id);
    if (before && (!isSameClient || before.shared_redirect !== after.shared_redirect))
      await deleteLoginsOf(tx, account_id);
    await app.shortenSsoSessionsOf(tx, account_id, after.session_hours);
    const changes = before
      ? changesBetween(before, after, RECORDED)
      : { after: Object.fromEntries(RECORDED.map((field) => [field, after[field]])) };
    await record(tx, app, { ...byOwner(caller), action: 'sso.change', subject: issuer, ...changes });
    await notifyAccount(tx, app, account_id, {
      kind: 'ssoChanged',
      domain,
      state: required ? 'required' : 'on',
      settingsUrl: pageUrl(app, '/settings'),
    });
  });
  app.wakeups.notify('notices');
  return ssoOf(app, account_id);
}

/** The settings of a test sign-in, which are not stored. Throws field errors. */
export async function draftOf(
  app: Needs<'config' | 'db' | 'vault'>,
  account_id: string,
  body: Pick<SsoBody, 'issuer' | 'client_id' | 'client_secret' | 'domain' | 'default_role'>,
): Promise<Draft> {
  const { client_id, default_role } = body;
  const issuer = readIssuer(app.config, body.issuer);
  const domain = readDomain(body.domain);
  const before = await findSso(app.db, account_id);
  const isSameClient = before?.issuer === issuer && before.client_id === client_id;
  const client_secret = sealedSecret(app, { account_id, body, before: isSameClient ? before : undefined });
  return { account_id, issuer, client_id, client_secret, domain, default_role };
}

/** The secret is never recorded. */
const RECORDED = [
  'issuer',
  'client_id',
  'domain',
  'default_role',
  'required',
  'exempt_person_id',
  'session_hours',
  'shared_redirect',
] as const satisfies readonly (keyof SsoRow)[];

/** Drops the discovery document's path, which many copy along. Throws a field error. */
function readIssuer(config: Pick<Config, 'webhookAllowPrivate' | 'ssoPrivateOrigins'>, text: string): string {
  const issuer = text.replace(/\/\.well-known\/openid-configuration\/?$/, '');
  const url = URL.parse(issuer);
  const allowPrivate =
    config.webhookAllowPrivate || (url !== null && config.ssoPrivateOrigins.includes(url.origin));
  const problem = targetProblem(issuer, { allowPrivate });
  if (problem !== undefined) throw new FieldErrors({ issuer: [problem.replace('URL', 'issuer')] });
  if (url === null || url.search !== '' || url.hash !== '' || issuer.includes('/.well-known/'))
    throw new FieldErrors({
      issuer: ['The issuer is a URL without a query, such as https://id.example.com.'],
    });
  return issuer;
}

function readDomain(text: string): string {
  const listable = listableDomain(text);
  if ('problem' in listable) throw new FieldErrors({ domain: [listable.problem] });
  return listable.domain;
}

/** A stored secret is never sent to another issuer or client. */
function sealedSecret(
  app: Needs<'vault'>,
  {
    account_id,
    body,
    before,
  }: { account_id: string; body: Pick<SsoBody, 'client_secret'>; before: SsoRow | undefined },
): Buffer {
  if (body.client_secret) return app.vault.seal(body.client_secret, sealOf(account_id));
  if (!before) throw new FieldErrors({ client_secret: ['Enter the secret of this client.'] });
  return before.client_secret;
}

const exemptOf = (body: SsoBody, before: SsoRow | undefined, caller: UserCaller): string | null =>
  body.exempt_person_id !== undefined
    ? body.exempt_person_id
    : (before?.exempt_person_id ?? (body.required ? caller.person_id : null));

function mustBeTried(
  before: SsoRow | undefined,
  { isSameClient, isSameDomain }: { isSameClient: boolean; isSameDomain: boolean },
): void {
  if (!before?.is_proven || !isSameDomain) throw new FieldErrors({ required: ['Verify the domain first.'] });
  if (before.signed_in_at === null || !isSameClient)
    throw new FieldErrors({ required: ['Sign in with SSO once first.'] });
}

/** Also without `required`, so that it cannot be turned on later with a stale choice. */
async function mustHaveWayIn(
  app: SsoApp,
  tx: Tx,
  {
    account_id,
    exempt_person_id: person_id,
    required,
  }: Pick<SsoRow, 'account_id' | 'exempt_person_id' | 'required'>,
): Promise<void> {
  if (person_id === null ? !required : await app.isOwnerWithProof(tx, { account_id, person_id })) return;
  throw new FieldErrors({ exempt_person_id: ['Choose an owner who has a password or passkey.'] });
}

export async function turnSsoOff(app: SsoApp, caller: UserCaller): Promise<void> {
  const { account_id } = caller;
  await app.db.transaction(async (tx) => {
    await app.lockMembers(tx, caller, 'owner');
    const gone = await deleteSso(tx, account_id);
    if (!gone) throw new Failure('not_found');
    await deleteLoginsOf(tx, account_id);
    await rememberIdentities(tx, app, { account_id, person_id: null });
    await deleteIdentitiesOf(tx, account_id);
    await app.endSsoSessionsOf(tx, account_id, caller.session_id);
    await record(tx, app, { ...byOwner(caller), action: 'sso.remove', subject: gone.issuer });
    await notifyAccount(tx, app, account_id, {
      kind: 'ssoChanged',
      domain: gone.domain,
      state: 'off',
      settingsUrl: pageUrl(app, '/settings'),
    });
  });
  app.wakeups.notify('notices');
}
