import type { Needs } from '../platform/platform.ts';

const settled = new WeakSet<object>();

/**
 * Makes the first account of a local sandbox an operator, once. A deployment that other people can reach names its operators with
 * `npm start -- operator add`, because there the first account may be a stranger's.
 */
export async function makeFirstOperator({ db, config }: Needs<'db' | 'config'>): Promise<void> {
  if (!config.sandbox || config.isPublic || settled.has(db)) return;
  await db.run(
    `with first as (
       select id from accounts where deleted_at is null order by id limit 1
     ), claimed as (
       insert into service_facts (name, value) select 'first_operator', id::text from first
       on conflict (name) do nothing returning value
     )
     insert into operators (account_id, role, created_at) select value::uuid, 'admin', clock_now() from claimed
     on conflict (account_id) do nothing`,
  );
  if (await db.maybe(`select 1 from service_facts where name = 'first_operator'`)) settled.add(db);
}
