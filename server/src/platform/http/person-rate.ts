import type { Needs } from '../platform.ts';
import { lookupBatcher } from '../queue/batcher.ts';
import { Failure } from './failure.ts';
import { createOverLimit } from './over-limit.ts';
import { createPace } from './pace.ts';
import type { Authenticators } from './serve.ts';

type Authenticate<C> = (...asked: Parameters<Authenticators['person']>) => Promise<C>;

/**
 * Limits a person's calls with a session, across all processes, sessions and accounts, before the body is read. So a member
 * cannot use up the calls of the others. The database counts them in batches, per person and second. After a burst, each process
 * starts a person's calls evenly spread at the limit's rate.
 */
export function limitByPerson<C extends { person_id: string }>(
  app: Needs<'db' | 'config'>,
  authenticate: Authenticate<C>,
): Authenticate<C> {
  const positions = lookupBatcher((ids: string[]) => count(app, ids));
  const overLimit = createOverLimit<C>();
  const pace = createPace();
  return async (request, reply) => {
    // Operators may change it while the service runs.
    const most = app.config.dashboardRequestsPerSecond;
    const credential = request.headers.authorization ?? '';
    const refused = overLimit.find(credential);
    const person = refused ?? (await authenticate(request, reply));
    const position = refused ? most + 1 : await positions.submit(person.person_id);
    reply.headers({
      'RateLimit-Limit': String(most),
      'RateLimit-Remaining': String(Math.max(0, most - position)),
      'RateLimit-Reset': '1',
    });
    if (position <= most && (await pace.turn(person.person_id, most))) return person;
    if (!refused) overLimit.hold(credential, person);
    if (!(await overLimit.turn(person.person_id))) reply.header('Connection', 'close');
    throw new Failure('too_many_requests', { retry_after: 1 });
  };
}

/** The position of each call among its person's calls of the current second. */
async function count({ db }: Needs<'db'>, ids: string[]): Promise<number[]> {
  const rows = await db.rows<{ account_id: string; asked: number; used: number }>(
    'select * from admit_accounts($1)',
    [ids],
  );
  const before = new Map(rows.map(({ account_id, asked, used }) => [account_id, used - asked]));
  return ids.map((id) => {
    const position = (before.get(id) ?? 0) + 1;
    before.set(id, position);
    return position;
  });
}
