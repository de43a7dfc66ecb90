import { SSO_LOGIN_SECONDS, type Sso } from '@sixdigit/contract/accounts/sso.ts';
import { COUNTS_AS_PROVEN, DOMAIN_STATUS, type ProvenTable } from '../../platform/db/domain-proofs.ts';
import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';

export const SSO_DOMAINS: ProvenTable = { table: 'account_sso', key: 'account_id' };

export interface SsoRow
  extends Omit<
    Sso,
    | 'record_name'
    | 'record_value'
    | 'domain_problem'
    | 'domain_checked_at'
    | 'domain_verified_at'
    | 'last_failure'
  > {
  account_id: string;
  /** sealed */
  client_secret: Buffer;
  token: string;
  checked_at: string | null;
  problem: Sso['domain_problem'];
  verified_at: string | null;
  is_proven: boolean;
  failed_at: string | null;
  failure: string;
}

const ROW = `account_id, issuer, client_id, client_secret, domain, token, checked_at, problem, verified_at, lapses_at,
  ${DOMAIN_STATUS} as domain_status, ${COUNTS_AS_PROVEN} as is_proven, default_role, required, exempt_person_id,
  session_hours, shared_redirect, signed_in_at, failed_at, failure, created_at, updated_at`;

export const findSso = (sql: Queryable, account_id: string): Promise<SsoRow | undefined> =>
  sql.maybe<SsoRow>(`select ${ROW} from account_sso where account_id = $1`, [account_id]);

/** The accounts that have proven their domain and use the issuer, with or without a slash at its end. At most two. */
export const selectSsoByIssuer = (sql: Queryable, issuer: string, domain: string): Promise<SsoRow[]> =>
  sql.rows<SsoRow>(
    `select ${ROW} from account_sso where rtrim(issuer, '/') = rtrim($1, '/') and ${COUNTS_AS_PROVEN}
     order by domain = $2 desc limit 2`,
    [issuer, domain],
  );

/** The account that has proven the domain. */
export const findSsoByDomain = (sql: Queryable, domain: string): Promise<SsoRow | undefined> =>
  sql.maybe<SsoRow>(`select ${ROW} from account_sso where domain = $1 and ${COUNTS_AS_PROVEN}`, [domain]);

/** The settings of a test sign-in. */
export type Draft = Pick<
  SsoRow,
  'account_id' | 'issuer' | 'client_id' | 'client_secret' | 'domain' | 'default_role'
>;

type Written = Pick<
  SsoRow,
  | 'account_id'
  | 'issuer'
  | 'client_id'
  | 'client_secret'
  | 'domain'
  | 'token'
  | 'default_role'
  | 'required'
  | 'exempt_person_id'
  | 'session_hours'
  | 'shared_redirect'
>;

/** A new domain is unproven, and a new issuer or client is untried. */
export const writeSso = (tx: Tx, row: Written): Promise<SsoRow> =>
  tx.one<SsoRow>(
    `insert into account_sso as s (account_id, issuer, client_id, client_secret, domain, token, default_role, required,
       exempt_person_id, session_hours, shared_redirect, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_now(), clock_now())
     on conflict (account_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
       client_secret = excluded.client_secret, domain = excluded.domain, token = excluded.token,
       default_role = excluded.default_role, required = excluded.required,
       exempt_person_id = excluded.exempt_person_id, session_hours = excluded.session_hours,
       shared_redirect = excluded.shared_redirect, updated_at = clock_now(),
       checked_at = case when s.domain = excluded.domain then s.checked_at end,
       problem = case when s.domain = excluded.domain then s.problem end,
       verified_at = case when s.domain = excluded.domain then s.verified_at end,
       lapses_at = case when s.domain = excluded.domain then s.lapses_at end,
       signed_in_at = case when (s.issuer, s.client_id) = (excluded.issuer, excluded.client_id) then s.signed_in_at end,
       failed_at = null, failure = ''
     returning ${ROW}`,
    [
      row.account_id,
      row.issuer,
      row.client_id,
      row.client_secret,
      row.domain,
      row.token,
      row.default_role,
      row.required,
      row.exempt_person_id,
      row.session_hours,
      row.shared_redirect,
    ],
  );

export const deleteSso = (tx: Tx, account_id: string): Promise<SsoRow | undefined> =>
  tx.maybe<SsoRow>(`delete from account_sso where account_id = $1 returning ${ROW}`, [account_id]);

/** Ends the sign-ins that have begun. */
export async function deleteLoginsOf(tx: Tx, account_id: string): Promise<void> {
  await tx.run('delete from sso_logins where account_id = $1', [account_id]);
  await tx.run('delete from sso_links where account_id = $1', [account_id]);
}

export const deleteIdentitiesOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from identities where account_id = $1', [account_id]);

export const selectProofs = (sql: Sql, ids: readonly string[]): Promise<SsoRow[]> =>
  sql.rows<SsoRow>(`select ${ROW} from account_sso where account_id = any ($1::uuid[])`, [ids]);

/**
 * Returns how long the session may last now; undefined if the provider or the domain has changed since the row was read, or the
 * domain no longer counts as proven.
 */
export const noteSignIn = (
  tx: Tx,
  { account_id, issuer, client_id, domain }: Pick<SsoRow, 'account_id' | 'issuer' | 'client_id' | 'domain'>,
): Promise<Pick<SsoRow, 'session_hours'> | undefined> =>
  tx.maybe(
    `update account_sso set signed_in_at = clock_now(), failed_at = null, failure = ''
     where account_id = $1 and issuer = $2 and client_id = $3 and domain = $4 and ${COUNTS_AS_PROVEN}
     returning session_hours`,
    [account_id, issuer, client_id, domain],
  );

export const noteFailure = (sql: Sql, account_id: string, failure: string): Promise<number> =>
  sql.run('update account_sso set failed_at = clock_now(), failure = $2 where account_id = $1', [
    account_id,
    failure,
  ]);

// ── sign-ins that have begun ──

export interface Login {
  account_id: string;
  issuer: string;
  client_id: string;
  session_id: string | null;
}

export const insertLogin = (
  sql: Sql,
  login: Login & { state_hash: Buffer; browser_hash: Buffer },
): Promise<number> =>
  sql.run(
    `insert into sso_logins (state_hash, browser_hash, account_id, issuer, client_id, session_id, expires_at)
     select $1, $2, account_id, $4, $5, $6, clock_now() + interval '${SSO_LOGIN_SECONDS} seconds'
     from account_sso where account_id = $3 and issuer = $4 and client_id = $5`,
    [login.state_hash, login.browser_hash, login.account_id, login.issuer, login.client_id, login.session_id],
  );

interface LoginKey {
  /** null for a provider that refused and omitted the state */
  state_hash: Buffer | null;
  browser_hash: Buffer;
}

const IS_LOGIN =
  '($1::bytea is null or state_hash = $1) and browser_hash = $2 and expires_at > clock_now() and test is null';

/** The one caller that consumes it gets it. Another browser's token leaves it as it is. */
export const consumeLogin = (sql: Sql, { state_hash, browser_hash }: LoginKey): Promise<Login | undefined> =>
  sql.maybe<Login>(
    `update sso_logins set used_at = clock_now() where ${IS_LOGIN} and used_at is null
     returning account_id, issuer, client_id, session_id`,
    [state_hash, browser_hash],
  );

/** Whether the browser has already used it. */
export const isLoginUsed = async (sql: Sql, { state_hash, browser_hash }: LoginKey): Promise<boolean> =>
  (await sql.maybe(`select 1 from sso_logins where ${IS_LOGIN} and used_at is not null`, [
    state_hash,
    browser_hash,
  ])) !== undefined;

/** `browser_hash`: of a token that nobody has, so that no browser can complete it as a sign-in. */
export const insertTest = (
  sql: Sql,
  { draft, ...login }: { draft: Draft; session_id: string; state_hash: Buffer; browser_hash: Buffer },
): Promise<number> =>
  sql.run(
    `insert into sso_logins (state_hash, browser_hash, account_id, issuer, client_id, session_id, test, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, clock_now() + interval '${SSO_LOGIN_SECONDS} seconds')`,
    [
      login.state_hash,
      login.browser_hash,
      draft.account_id,
      draft.issuer,
      draft.client_id,
      login.session_id,
      JSON.stringify({ ...draft, client_secret: draft.client_secret.toString('base64') }),
    ],
  );

/** Only the session that began the test gets it, once. */
export async function consumeTest(
  sql: Sql,
  { state_hash, account_id, session_id }: { state_hash: Buffer; account_id: string; session_id: string },
): Promise<Draft | undefined> {
  const row = await sql.maybe<{ test: Omit<Draft, 'client_secret'> & { client_secret: string } }>(
    `delete from sso_logins
     where state_hash = $1 and account_id = $2 and session_id = $3 and test is not null and expires_at > clock_now()
     returning test`,
    [state_hash, account_id, session_id],
  );
  return row && { ...row.test, client_secret: Buffer.from(row.test.client_secret, 'base64') };
}

// ── identities ──

export interface Identity {
  account_id: string;
  issuer: string;
  subject: string;
}

export const findIdentity = (
  sql: Queryable,
  { account_id, issuer, subject }: Identity,
): Promise<{ person_id: string } | undefined> =>
  sql.maybe('select person_id from identities where account_id = $1 and issuer = $2 and subject = $3', [
    account_id,
    issuer,
    subject,
  ]);

/** Returns 0 if it is not that person's. */
export const touchIdentity = (
  tx: Tx,
  { account_id, issuer, subject, person_id }: Identity & { person_id: string },
): Promise<number> =>
  tx.run(
    `update identities set last_used_at = clock_now()
     where account_id = $1 and issuer = $2 and subject = $3 and person_id = $4`,
    [account_id, issuer, subject, person_id],
  );

/** Returns 0 if another person has the identity. */
export const insertIdentity = (
  tx: Tx,
  { account_id, issuer, subject, person_id }: Identity & { person_id: string },
): Promise<number> =>
  tx.run(
    `insert into identities as i (account_id, issuer, subject, person_id, created_at, last_used_at)
     values ($1, $2, $3, $4, clock_now(), clock_now())
     on conflict (account_id, issuer, subject) do update set last_used_at = excluded.last_used_at
       where i.person_id = excluded.person_id`,
    [account_id, issuer, subject, person_id],
  );

/** When the person is erased. Call `rememberAddress` first. */
export async function forgetIdentitiesOf(tx: Tx, person_id: string): Promise<void> {
  for (const table of ['identities', 'sso_links', 'former_members'])
    await tx.run(`delete from ${table} where person_id = $1`, [person_id]);
}

// ── identities that wait for a person's proof ──

export interface Link extends Identity {
  person_id: string;
}

export const insertLink = (tx: Tx, link: Link & { token_hash: Buffer }): Promise<number> =>
  tx.run(
    `insert into sso_links (token_hash, account_id, person_id, issuer, subject, expires_at)
     values ($1, $2, $3, $4, $5, clock_now() + interval '${SSO_LOGIN_SECONDS} seconds')`,
    [link.token_hash, link.account_id, link.person_id, link.issuer, link.subject],
  );

/** Only the person whose address the provider named can use it. */
export const consumeLink = (
  tx: Tx,
  { token_hash, person_id }: { token_hash: Buffer; person_id: string },
): Promise<Link | undefined> =>
  tx.maybe<Link>(
    `delete from sso_links where token_hash = $1 and person_id = $2 and expires_at > clock_now()
     returning account_id, person_id, issuer, subject`,
    [token_hash, person_id],
  );

export const oldLogins = { table: 'sso_logins', where: 'expires_at <= clock_now()' };
export const oldLinks = { table: 'sso_links', where: 'expires_at <= clock_now()' };
