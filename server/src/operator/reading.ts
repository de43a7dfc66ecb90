import type { CountMode } from '@sixdigit/contract/list.ts';
import type { Reply, Route } from '@sixdigit/contract/route.ts';
import { findAccount } from '../accounts/accounts.ts';
import { recipientOf } from '../platform/addresses/recipient.ts';
import { limitsOf, withinListLimits } from '../platform/db/list-limits.ts';
import type { Db, Queryable } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import { type Call, type OperatorCaller, type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { maskedRecipient } from '../platform/security/masks.ts';
import { isUuid } from '../platform/security/random.ts';
import { beginSearch, recordAction } from './audit.ts';

type OperatorRoute = Route & { auth: 'operator' };

interface Reading<R extends Route> extends Pick<Call<R>, 'params' | 'query'> {
  /** for lists, this database has their statement timeout */
  db: Db;
  /** the account in the path; '' without one */
  account_id: string;
  /** the recipient if the search contains it in full, otherwise null; the search is audited */
  whole: string | null;
}

export interface Readers {
  /** Serves a call that reads. A list runs within the list limits. Every `recipient` field of the response is masked. */
  read<R extends OperatorRoute>(route: R, of: (call: Reading<R>) => Reply<R> | Promise<Reply<R>>): void;
  /** Serves a call that reads unmasked data. Writes the audit entry before the response. */
  reveal<R extends OperatorRoute>(
    route: R,
    entry: { action: string; noun: string },
    of: (call: Omit<Reading<R>, 'whole'>) => Promise<Reply<R> & { id: string }>,
  ): void;
}

type App = Needs<'db' | 'random' | 'config' | 'vault'>;

const ACCOUNT = '/operator/accounts/:id/';

/** Both throw `not_found` if the account in the path does not exist. */
export function readersOf(server: Server, app: App): Readers {
  return {
    read(route, of) {
      serve(server, route, ({ caller, params, query, request }) => {
        const { search = '', count } = (query ?? {}) as { search?: string; count?: CountMode };
        const whole = wholeRecipient(app, route, search);
        const work = async (db: Db) => {
          const account_id = await accountIn(db, route, params);
          if (whole !== null) await auditSearch(app, caller, account_id, whole);
          return masked(await of({ params, query, db, account_id, whole })) as never;
        };
        if (!route.query) return work(app.db);
        return withinListLimits(app.db, caller.person_id, work, count && limitsOf({ count }, request));
      });
    },
    reveal(route, { action, noun }, of) {
      serve(server, route, async ({ caller, params, query, body }) => {
        const account_id = await accountIn(app.db, route, params);
        const found = await of({ params, query, db: app.db, account_id });
        const { reason } = body as { reason: string };
        await app.db.transaction((tx) =>
          recordAction(tx, app, caller, { action, account_id, subject: `${noun} ${found.id}`, reason }),
        );
        return found as never;
      });
    },
  };
}

/**
 * A search for a whole recipient reveals whether a masked one matches, so it is audited before the response. The requests of one
 * search for its pages and its count, from any process, share one entry.
 */
const auditSearch = (app: App, by: OperatorCaller, account_id: string, recipient: string): Promise<void> =>
  app.db.transaction(async (tx) => {
    const search = JSON.stringify([by.person_id, by.key_id, account_id, recipient]);
    if (!(await beginSearch(tx, app.vault.fingerprint('operator search', search)))) return;
    await recordAction(tx, app, by, {
      action: 'recipient.search',
      ...(account_id === '' ? {} : { account_id }),
      subject: maskedRecipient(recipient),
    });
  });

/** Owners' e-mail addresses are not masked, so a list of all accounts hides phone numbers only. */
function wholeRecipient({ config }: Needs<'config'>, { path }: Route, search: string): string | null {
  const whole = recipientOf(config, search) ?? null;
  return path.startsWith(ACCOUNT) || whole?.startsWith('+') ? whole : null;
}

async function accountIn(sql: Queryable, { path }: Route, params: unknown): Promise<string> {
  if (!path.startsWith(ACCOUNT)) return '';
  const { id } = params as { id: string };
  await requireAccount(sql, id);
  return id;
}

/** Throws `not_found`. */
export async function requireAccount(sql: Queryable, id: string): Promise<void> {
  const found = isUuid(id) ? await findAccount(sql, id) : undefined;
  if (!found) throw new Failure('not_found');
}

/** The value with every `recipient` field masked, at any depth. */
function masked<T>(value: T): T {
  if (Array.isArray(value)) return value.map(masked) as T;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    name === 'recipient' && typeof field === 'string' && field !== ''
      ? maskedRecipient(field)
      : masked(field),
  ]);
  return Object.fromEntries(fields) as T;
}
