import type { FastifyRequest } from 'fastify';
import type { Tx } from '../platform/db/sql.ts';
import { originOf } from '../platform/http/client-address.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Authenticators, UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { findSession } from './sessions.ts';
import { readAccess } from './tokens.ts';

/**
 * Authenticates `Authorization: Bearer`. Every request looks up the session, so ending a session takes effect immediately in
 * every process.
 */
export function authenticateSession(app: Needs<'db' | 'vault'>): Authenticators['bearer'] {
  return async (request, reply) => {
    const person = await findUserCaller(app, request);
    if (person) return person;
    reply.header('WWW-Authenticate', 'Bearer');
    throw new Failure('unauthenticated');
  };
}

export const bearerToken = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';

/** The signed-in user behind a request, if there is one. */
export async function findUserCaller(
  app: Needs<'db' | 'vault'>,
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
): Promise<UserCaller | undefined> {
  const access = readAccess(app, bearerToken(request));
  const session = access && (await findSession(app.db, access));
  if (!session) return undefined;
  const { account_id, session_id } = access;
  return { account_id, role: 'owner', session_id, is_proven: session.is_proven, ...originOf(request) };
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
