import { createLimit, deleteLimit, listLimits, updateLimit } from '@sixdigit/contract/limits.ts';
import type { FastifyRequest } from 'fastify';
import { changesBetween, type Log, loggedChange } from '../audit/audit.ts';
import { withinListLimits } from '../platform/db/list-limits.ts';
import type { Tx } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { type KeyCaller, type Server, serve, type UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { countChangeBy } from './limits.ts';
import { changeLimit, getLimit, insertLimit, removeLimit, selectLimits } from './named-limits.ts';

type App = Needs<'clock' | 'db' | 'random'>;
type AnyCaller = UserCaller | KeyCaller;

const VALUES = ['max_sends', 'period_seconds'] as const;

/** The limits that the account defines for its sends. */
export function limitRoutes(server: Server, app: App): void {
  serve(server, listLimits, ({ caller: { account_id } }) =>
    withinListLimits(app.db, account_id, async (db) => {
      const results = await selectLimits(db, account_id);
      return { results, count: results.length };
    }),
  );
  serve(server, createLimit, ({ caller, body, request }) =>
    changing(app, caller, request, async (tx, log) => {
      const ids = { account_id: caller.account_id, id: app.random.uuid(), bucket_id: app.random.uuid() };
      const made = await insertLimit(tx, ids, body);
      await log({ action: 'limit.create', subject: made.name, after: valuesOf(made) });
      return made;
    }),
  );
  serve(server, updateLimit, ({ caller, params, body, request }) =>
    changing(app, caller, request, async (tx, log) => {
      const { before, after } = await changeLimit(tx, ownId(caller, params.id), {
        max_sends: body.max_sends,
        period_seconds: body.period_seconds,
      });
      const changes = changesBetween(before, after, VALUES);
      if (changes) await log({ action: 'limit.change', subject: after.name, ...changes });
      return after;
    }),
  );
  serve(server, deleteLimit, ({ caller, params, request }) =>
    changing(app, caller, request, async (tx, log) => {
      const { account_id, id } = ownId(caller, params.id);
      const limit = await getLimit(tx, account_id, id);
      if ((await removeLimit(tx, account_id, id)) > 0)
        await log({ action: 'limit.delete', subject: limit.name, before: valuesOf(limit) });
      return undefined;
    }),
  );
}

const valuesOf = ({ max_sends, period_seconds }: { max_sends: number; period_seconds: number }) => ({
  max_sends,
  period_seconds,
});

function ownId({ account_id }: AnyCaller, id: string): { account_id: string; id: string } {
  if (!isUuid(id)) throw new Failure('not_found');
  return { account_id, id: id.toLowerCase() };
}

/** Live sends use the limits, so a test key cannot change them. */
const changing = <T>(
  app: App,
  caller: AnyCaller,
  request: FastifyRequest,
  work: (tx: Tx, log: Log) => Promise<T>,
): Promise<T> =>
  loggedChange(app, { caller, request, changed: 'limits' }, async (tx, log) => {
    await countChangeBy(tx, app, caller);
    return work(tx, log);
  });
