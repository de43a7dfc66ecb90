import { Failure } from '../platform/http/failure.ts';
import type { Authenticators } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { sessionCounts } from './sessions.ts';
import { readAccess } from './tokens.ts';

/**
 * Authenticates `Authorization: Bearer`. Every request looks the session up, so ending a session takes effect at once in every
 * process.
 */
export function authenticateSession(app: Needs<'db' | 'vault'>): Authenticators['bearer'] {
  return async (request, reply) => {
    const [, token = ''] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    const access = readAccess(app, token);
    if (!access || !(await sessionCounts(app.db, access))) {
      reply.header('WWW-Authenticate', 'Bearer');
      throw new Failure('unauthenticated');
    }
    return { account_id: access.account_id, session_id: access.session_id };
  };
}
