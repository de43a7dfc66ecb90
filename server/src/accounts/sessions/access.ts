import { ACCOUNT_HEADER } from '@sixdigit/contract/route.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tx } from '../../platform/db/sql.ts';
import { originOf } from '../../platform/http/client-address.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { Authenticators, PersonCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { findMember, noteSeen } from './memberships.ts';
import { findSession } from './sessions.ts';
import { readAccess } from './tokens.ts';

/**
 * Authenticates `Authorization: Bearer`. Every request looks up the session, so ending a session takes effect immediately in
 * every process.
 */
export function authenticatePerson(app: Needs<'db' | 'vault'>): Authenticators['person'] {
  return async (request, reply) => (await findPersonCaller(app, request)) ?? refuse(reply);
}

/**
 * Like `authenticatePerson`, for the account that the header `X-Account` names, or the person's first account. Every request looks
 * up the membership too, so removing a member takes effect immediately. Throws `not_found` without a membership, as for an account
 * that does not exist, and `sso_required`. An SSO session opens only the account of its provider.
 */
export function authenticateMember(app: Needs<'db' | 'vault'>): Authenticators['bearer'] {
  return async (request, reply) => {
    const access = readAccess(app, bearerToken(request));
    const asked = request.headers[ACCOUNT_HEADER.toLowerCase()];
    // An account that no UUID names is unknown, like one that nobody has.
    const wanted = asked === undefined || isUuid(String(asked)) ? (asked as string | undefined) : NO_ACCOUNT;
    const found = access && (await findMember(app.db, access, wanted ?? null));
    if (!access || !found) return refuse(reply);
    const { account_id, role, must_use_sso, is_seen, is_proven, sso_account_id } = found;
    if (account_id === null || role === null) throw new Failure('not_found');
    if (must_use_sso) throw new Failure('sso_required');
    const { person_id, session_id } = access;
    if (!is_seen) await noteSeen(app.db, account_id, person_id);
    return { person_id, account_id, role, session_id, is_proven, sso_account_id, ...originOf(request) };
  };
}

const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

function refuse(reply: FastifyReply): never {
  reply.header('WWW-Authenticate', 'Bearer');
  throw new Failure('unauthenticated');
}

export const bearerToken = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';

/** The signed-in person behind a request, if there is one. */
export async function findPersonCaller(
  app: Needs<'db' | 'vault'>,
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
): Promise<PersonCaller | undefined> {
  const access = readAccess(app, bearerToken(request));
  const session = access && (await findSession(app.db, access));
  if (!session) return undefined;
  const { person_id, session_id } = access;
  return { person_id, session_id, ...session, ...originOf(request) };
}

/** A suspended account can sign in, but the public API refuses its keys. */
export interface Suspension {
  suspended_at: string | null;
  suspended_reason: string;
}

/** Locks the account until the transaction ends. Undefined if it does not exist or was deleted. */
export const lockSuspension = (tx: Tx, account_id: string): Promise<Suspension | undefined> =>
  tx.maybe<Suspension>(
    `select suspended_at, suspended_reason from accounts where id = $1 and deleted_at is null for no key update`,
    [account_id],
  );

export const suspend = (tx: Tx, account_id: string, reason: string): Promise<number> =>
  tx.run(
    'update accounts set suspended_at = coalesce(suspended_at, clock_now()), suspended_reason = $2 where id = $1',
    [account_id, reason],
  );

export const resume = (tx: Tx, account_id: string): Promise<number> =>
  tx.run(`update accounts set suspended_at = null, suspended_reason = '' where id = $1`, [account_id]);
