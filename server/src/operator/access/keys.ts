/** Keys for automation: shown once, stored as a hash, limited to scopes, and always with an expiry. */

import type {
  createOperatorKey,
  listOperatorKeys,
  OperatorKey,
} from '@sixdigit/contract/operator/operator.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { hashOfKey, newKeyText } from '../../api-keys/api-keys.ts';
import { containing, orderBy, pageOf } from '../../platform/db/page.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { recordAction } from '../audit.ts';

type App = Needs<'config' | 'db' | 'random'>;

const PREFIX = 'sd_operator_';
const SHOWN = 18;

export async function listOperatorKeysOf(
  sql: Queryable,
  query: Parsed<typeof listOperatorKeys, 'query'>,
): Promise<{ results: OperatorKey[]; count: number }> {
  const { limit, offset } = pageOf(query);
  const name = containing(query.search);
  const from = `operator_keys k left join people a on a.id = k.operator_id
    where k.deleted_at is null and ($1::text is null or k.name ilike $1)`;
  const { count } = await sql.one<{ count: number }>(`select count(*) from ${from}`, [name]);
  const columns = { created_at: 'k.id', name: 'lower(k.name)', expires_at: 'k.expires_at' };
  const results = await sql.rows<OperatorKey>(
    `select ${KEY} from ${from} order by ${orderBy(query.ordering, columns, 'k.id')} limit $2 offset $3`,
    [name, limit, offset],
  );
  return { results, count };
}

export const createKeyOf = (
  app: App,
  by: OperatorCaller,
  { name, scopes, expires_in_days }: Parsed<typeof createOperatorKey, 'body'>,
): Promise<Reply<typeof createOperatorKey>> =>
  app.db.transaction(async (tx) => {
    const key = newKeyText(app, PREFIX);
    const row = await insertOperatorKey(tx, {
      id: app.random.uuid(),
      operator_id: by.person_id,
      name,
      prefix: key.slice(0, SHOWN),
      hash: hashOfKey(key),
      scopes: [...new Set(scopes)],
      days: expires_in_days,
    });
    const after = { scopes: row.scopes, expires_at: row.expires_at };
    await recordAction(tx, app, by, { action: 'operator_key.create', subject: name, after });
    return { ...row, key };
  });

/** Throws `not_found`. */
export const deleteKeyOf = (app: App, by: OperatorCaller, id: string): Promise<void> =>
  app.db.transaction(async (tx) => {
    const row = isUuid(id) ? await markOperatorKeyDeleted(tx, id) : undefined;
    if (!row) throw new Failure('not_found');
    await recordAction(tx, app, by, { action: 'operator_key.delete', subject: row.name, before: row });
  });

// ── statements ──

const KEY = `k.id, k.name, k.prefix, k.scopes, coalesce(a.email, '') as created_by, k.created_at, k.expires_at, k.last_used_at`;

interface NewKey {
  id: string;
  operator_id: string;
  name: string;
  prefix: string;
  hash: Buffer;
  scopes: string[];
  days: number;
}

const insertOperatorKey = (tx: Tx, key: NewKey): Promise<OperatorKey> =>
  tx.one<OperatorKey>(
    `with k as (
       insert into operator_keys (id, operator_id, name, prefix, hash, scopes, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, clock_now(), clock_now() + make_interval(days => $7)) returning *
     )
     select ${KEY} from k left join people a on a.id = k.operator_id`,
    [key.id, key.operator_id, key.name, key.prefix, key.hash, key.scopes, key.days],
  );

const markOperatorKeyDeleted = (
  tx: Tx,
  id: string,
): Promise<{ name: string; scopes: string[]; expires_at: string } | undefined> =>
  tx.maybe(
    `update operator_keys set deleted_at = clock_now() where id = $1 and deleted_at is null
     returning name, scopes, expires_at`,
    [id],
  );
