import type { Session } from '@sixdigit/contract/accounts/sessions.ts';
import type { Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { STEP_UP_SECONDS } from '@sixdigit/contract/second-factors/step-up.ts';
import { byPerson, record, recordOfPerson } from '../../audit/audit.ts';
import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { PersonCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import {
  ACCESS_TOKEN_SECONDS,
  PARENT_FORGIVEN_SECONDS,
  REFRESH_TOKEN_SECONDS,
  SESSION_DAYS,
} from '../limits.ts';
import { type Client, rememberNetwork, touchNetwork } from './client.ts';
import { noteDevice, type SignInApp } from './known-devices.ts';
import {
  childrenOf,
  firstRefresh,
  hashOfToken,
  isOurRefresh,
  sessionOfRefresh,
  signAccess,
} from './tokens.ts';

/**
 * A session is a refresh token family. Using a token replaces it with one child, also under concurrency. The parent yields the
 * same child for ten more seconds. Any older token ends the session, because two clients hold it. A session ends 90 days after its
 * sign-in, however often it is refreshed; an SSO session as soon as its account has chosen. Each sign-in counts as a proof of identity for a step-up.
 */
export async function startSession(
  tx: Tx,
  app: SignInApp,
  person_id: string,
  client: Client,
): Promise<Tokens> {
  const tokens = await openSession(tx, app, { person_id, sso_account_id: null, client });
  await rememberNetwork(tx, person_id, client);
  await noteDevice(tx, app, person_id, client);
  return tokens;
}

/** The provider of one account does not decide which networks and devices the person's other sign-ins trust. */
export const startSsoSession = (
  tx: Tx,
  app: Needs<'vault' | 'random'>,
  session: { person_id: string; sso_account_id: string; session_hours: number; client: Client },
): Promise<Tokens> => openSession(tx, app, session);

async function openSession(
  tx: Tx,
  app: Needs<'vault' | 'random'>,
  session: { person_id: string; sso_account_id: string | null; session_hours?: number; client: Client },
): Promise<Tokens> {
  const session_id = app.random.uuid();
  const refresh = firstRefresh(app, session_id);
  const { access_until } = await insertSession(tx, { session_id, refresh, ...session });
  const entry = { actor: 'owner', origin: session.client, action: 'sign_in.succeed' } as const;
  await recordOfSession(tx, app, session, entry);
  return { access: access(app, { session_id, person_id: session.person_id, access_until }), refresh };
}

/** Adds an entry about a session to each account that it opens. */
const recordOfSession = (
  tx: Tx,
  app: Needs<'random'>,
  { person_id, sso_account_id }: { person_id: string; sso_account_id: string | null },
  entry: Omit<Parameters<typeof recordOfPerson>[2], 'person_id'>,
): Promise<void> =>
  sso_account_id === null
    ? recordOfPerson(tx, app, { person_id, ...entry })
    : record(tx, app, { account_id: sso_account_id, person_id, ...entry });

export async function refreshSession(
  app: Needs<'db' | 'vault' | 'log' | 'random'>,
  parent: string,
  client: Client,
): Promise<Tokens> {
  const session_id = sessionOfRefresh(parent);
  if (!session_id) throw new Failure('invalid_refresh_token');
  const children = childrenOf(app, parent);
  const [child = ''] = children;
  const rotated = await rotate(app.db, { session_id, parent, child, client });
  if (rotated) {
    await touchNetwork(app.db, rotated.person_id, client);
    return { access: access(app, { session_id, ...rotated }), refresh: child };
  }

  const session = await findLiveSession(app.db, session_id, parent);
  if (session?.is_forgiven) {
    const same = children.find((one) => hashOfToken(one).equals(session.refresh_hash));
    if (same) return { access: access(app, { session_id, ...session }), refresh: same };
  }
  if (session && isOurRefresh(app, parent)) {
    const by = { actor: 'unknown', origin: client, action: 'session.reuse' } as const;
    await app.db.transaction(async (tx) => {
      if ((await endSessionById(tx, session_id)) === 0) return;
      await recordOfSession(tx, app, session, by);
    });
    app.log.warn({ session_id, person_id: session.person_id }, 'refresh token reused: session ended');
  }
  throw new Failure('invalid_refresh_token');
}

/** Accepts any token of the family, including replaced ones. */
export async function signOutSession(
  app: Needs<'db' | 'vault' | 'random'>,
  refresh: string,
  client: Client,
): Promise<void> {
  const session_id = sessionOfRefresh(refresh);
  if (!session_id) return;
  const isOurs = isOurRefresh(app, refresh);
  await app.db.transaction(async (tx) => {
    const ended = await endSessionOfToken(tx, { session_id, refresh, isOurs });
    const by = { actor: 'owner', origin: client, action: 'session.end', subject: 'Signed out' } as const;
    if (ended) await recordOfSession(tx, app, ended, by);
  });
}

/** An SSO session lists and ends only the person's SSO sessions of its account. */
export async function listSessionsOf(
  app: Needs<'db' | 'placeOf'>,
  { person_id, session_id, sso_account_id }: PersonCaller,
): Promise<{ results: Session[]; count: number }> {
  const results = await selectSessions(app, person_id, { current: session_id, sso_account_id });
  return { results, count: results.length };
}

/** Throws `not_found` if the session does not exist or belongs to another person. */
export async function endOwnSession(
  app: Needs<'db' | 'random'>,
  caller: PersonCaller,
  id: string,
): Promise<void> {
  if (!isUuid(id)) throw new Failure('not_found');
  await app.db.transaction(async (tx) => {
    const ended = await endSessionOf(tx, caller, id);
    if (!ended) throw new Failure('not_found');
    const { ip_address, user_agent } = ended;
    await recordOfSession(tx, app, caller, {
      ...byPerson(caller),
      action: 'session.end',
      before: { session: { ip_address, user_agent } },
    });
  });
}

/** Signs out everywhere. */
export async function endAllSessionsOf(
  app: Needs<'db' | 'random'>,
  caller: PersonCaller,
  { keep_current }: { keep_current: boolean },
): Promise<void> {
  await app.db.transaction(async (tx) => {
    const except = keep_current ? caller.session_id : null;
    await endSessionsOf(tx, caller.person_id, except, caller.sso_account_id);
    await recordOfSession(tx, app, caller, { ...byPerson(caller), action: 'session.end_all' });
  });
}

function access(
  app: Needs<'vault'>,
  { session_id, person_id, access_until }: { session_id: string; person_id: string; access_until: string },
): string {
  return signAccess(app, { session_id, person_id, expires_at: new Date(access_until) });
}

// ── statements ──

interface SessionOwner {
  person_id: string;
  sso_account_id: string | null;
}

const ACCESS_UNTIL = `clock_now() + interval '${ACCESS_TOKEN_SECONDS} seconds' as access_until`;
const REFRESH_UNTIL = `clock_now() + interval '${REFRESH_TOKEN_SECONDS} seconds'`;
const SESSION_AGE = `interval '${SESSION_DAYS} days'`;
export const LIVES = `ended_at is null and expires_at > clock_now() and created_at > clock_now() - ${SESSION_AGE}
  and coalesce(ends_at > clock_now(), true)`;
const PROVEN_UNTIL = `proven_at + interval '${STEP_UP_SECONDS} seconds'`;
export const PROVEN = `coalesce(${PROVEN_UNTIL} > clock_now(), false)`;

interface NewSession {
  session_id: string;
  person_id: string;
  sso_account_id: string | null;
  /** undefined: the session ends by its age alone */
  session_hours?: number;
  refresh: string;
  client: Client;
}

/**
 * A process of the release before would open every account with the session of a provider. It looks sessions up by `account_id`, so
 * these have an id there that nothing else has.
 */
const insertSession = (
  tx: Tx,
  { session_id, person_id, sso_account_id, session_hours, refresh, client }: NewSession,
) =>
  tx.one<{ access_until: string }>(
    `insert into sessions (id, person_id, sso_account_id, account_id, refresh_hash, created_at, last_used_at, proven_at, expires_at,
       ends_at, ip_address, user_agent)
     values ($1, $2, $3, case when $3::uuid is not null then $1::uuid end, $4, clock_now(), clock_now(), clock_now(),
       ${REFRESH_UNTIL}, clock_now() + $5::integer * interval '1 hour', $6, $7)
     returning ${ACCESS_UNTIL}`,
    [
      session_id,
      person_id,
      sso_account_id,
      hashOfToken(refresh),
      session_hours ?? null,
      client.ip_address,
      client.user_agent,
    ],
  );

interface Rotation {
  session_id: string;
  parent: string;
  child: string;
  client: Client;
}

/** Consumes a refresh token: of concurrent callers, exactly one changes the row. */
const rotate = (sql: Sql, { session_id, parent, child, client }: Rotation) =>
  sql.maybe<{ person_id: string; access_until: string }>(
    `update sessions set refresh_hash = $3, parent_hash = $2, rotated_at = clock_now(), last_used_at = clock_now(),
       expires_at = least(${REFRESH_UNTIL}, created_at + ${SESSION_AGE}), ip_address = $4, user_agent = $5
     where id = $1 and refresh_hash = $2 and ${LIVES}
     returning person_id, ${ACCESS_UNTIL}`,
    [session_id, hashOfToken(parent), hashOfToken(child), client.ip_address, client.user_agent],
  );

const findLiveSession = (sql: Sql, session_id: string, token: string) =>
  sql.maybe<SessionOwner & { refresh_hash: Buffer; is_forgiven: boolean; access_until: string }>(
    `select person_id, sso_account_id, refresh_hash, ${ACCESS_UNTIL},
       coalesce(parent_hash = $2 and rotated_at > clock_now() - interval '${PARENT_FORGIVEN_SECONDS} seconds', false)
         as is_forgiven
     from sessions where id = $1 and ${LIVES}`,
    [session_id, hashOfToken(token)],
  );

const endSessionById = (sql: Queryable, id: string): Promise<number> =>
  sql.run('update sessions set ended_at = clock_now() where id = $1 and ended_at is null', [id]);

const endSessionOfToken = (
  sql: Queryable,
  { session_id, refresh, isOurs }: { session_id: string; refresh: string; isOurs: boolean },
): Promise<SessionOwner | undefined> =>
  sql.maybe(
    `update sessions set ended_at = clock_now()
     where id = $1 and ended_at is null and ($3 or refresh_hash = $2 or parent_hash = $2)
     returning person_id, sso_account_id`,
    [session_id, hashOfToken(refresh), isOurs],
  );

const endSessionOf = (
  tx: Tx,
  { person_id, sso_account_id }: SessionOwner,
  id: string,
): Promise<{ ip_address: string | null; user_agent: string | null } | undefined> =>
  tx.maybe(
    `update sessions set ended_at = clock_now()
     where id = $2 and person_id = $1 and ($3::uuid is null or sso_account_id = $3) and ${LIVES}
     returning host(ip_address) as ip_address, user_agent`,
    [person_id, id, sso_account_id],
  );

/** Ends all sessions of the person, or all but one, or only those that began by the single sign-on of an account. */
export const endSessionsOf = (
  tx: Tx,
  person_id: string,
  except: string | null,
  sso_account_id: string | null = null,
): Promise<number> =>
  tx.run(
    `update sessions set ended_at = clock_now()
     where person_id = $1 and ended_at is null and id is distinct from $2::uuid
       and ($3::uuid is null or sso_account_id = $3)`,
    [person_id, except, sso_account_id],
  );

/** `current` is null for an operator who views the person. */
export async function selectSessions(
  { db, placeOf }: Needs<'placeOf'> & { db: Queryable },
  person_id: string,
  by: { current: string; sso_account_id: string | null } | null,
): Promise<Session[]> {
  const rows = await db.rows<Omit<Session, 'place'>>(
    `select id, created_at, last_used_at, host(ip_address) as ip_address, user_agent,
       coalesce(id = $2, false) as is_current
     from sessions where person_id = $1 and ($3::uuid is null or sso_account_id = $3) and ${LIVES}
     order by last_used_at desc, id desc`,
    [person_id, by?.current ?? null, by?.sso_account_id ?? null],
  );
  return rows.map((row) => ({ ...row, place: placeOf(row.ip_address) }));
}

/** The session of an access token that is still valid, by the database's clock. */
export const findSession = (
  sql: Sql,
  { session_id, person_id, expires_at }: { session_id: string; person_id: string; expires_at: Date },
): Promise<{ is_proven: boolean; sso_account_id: string | null } | undefined> =>
  sql.maybe(
    `select ${PROVEN} as is_proven, sso_account_id
     from sessions where id = $1 and person_id = $2 and ${LIVES} and clock_now() < $3::timestamptz`,
    [session_id, person_id, expires_at],
  );

/** Null if the session has given no proof in the last 15 minutes. */
export const provenUntil = async (sql: Sql, id: string): Promise<string | null> =>
  (
    await sql.maybe<{ proven_until: string }>(
      `select ${PROVEN_UNTIL} as proven_until from sessions where id = $1 and ${PROVEN_UNTIL} > clock_now()`,
      [id],
    )
  )?.proven_until ?? null;

/** Returns the time until which the proof is valid, or undefined if the session has ended. */
export const markProven = async (tx: Tx, id: string): Promise<string | undefined> =>
  (
    await tx.maybe<{ proven_until: string }>(
      `update sessions set proven_at = clock_now() where id = $1 and ${LIVES} returning ${PROVEN_UNTIL} as proven_until`,
      [id],
    )
  )?.proven_until;

/** Whether a session is open, regardless of its access token. */
export const isSessionOpen = async (
  sql: Queryable,
  { session_id, person_id }: { session_id: string; person_id: string },
): Promise<boolean> =>
  (await sql.maybe(`select 1 from sessions where id = $1 and person_id = $2 and ${LIVES}`, [
    session_id,
    person_id,
  ])) !== undefined;
