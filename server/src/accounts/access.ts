import type { FastifyRequest } from 'fastify';
import { originOf } from '../platform/http/client-address.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Authenticators, UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { findSession } from './sessions.ts';
import { readAccess } from './tokens.ts';

/**
 * Authenticates `Authorization: Bearer`. Every request looks the session up, so ending a session takes effect at once in every
 * process.
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
  return { account_id, session_id, is_proven: session.is_proven, ...originOf(request) };
}
