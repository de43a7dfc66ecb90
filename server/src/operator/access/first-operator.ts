import { addFact, findFact } from '../../platform/db/facts.ts';
import type { Needs } from '../../platform/platform.ts';

const FIRST_OPERATOR = 'first_operator';
const settled = new WeakSet<object>();

/**
 * Makes the first account of a local sandbox an operator, once. A deployment that other people can reach names its operators with
 * `npm start -- operator add`, because there the first account may be a stranger's.
 */
export async function makeFirstOperator({ db, config }: Needs<'db' | 'config'>): Promise<void> {
  if (!config.sandbox || config.isPublic || settled.has(db)) return;
  await db.transaction(async (tx) => {
    const first = await tx.maybe<{ id: string }>(
      'select id from accounts where deleted_at is null order by id limit 1',
    );
    if (!first || !(await addFact(tx, FIRST_OPERATOR, first.id))) return;
    await tx.run(
      `insert into operators (account_id, role, created_at) values ($1, 'admin', clock_now())
       on conflict (account_id) do nothing`,
      [first.id],
    );
  });
  if (await findFact(db, FIRST_OPERATOR)) settled.add(db);
}
