import type { OperatorRole } from '@sixdigit/contract/operator/operator.ts';
import { canDeliverCodes, type FirstOperatorApp, openFirstOperator } from '../../accounts/accounts.ts';
import { ownsFactor } from '../../accounts/second-factors/second-factors.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { Refusal } from '../../platform/file-problem.ts';
import type { Needs } from '../../platform/platform.ts';
import { recordAction } from '../audit.ts';

export interface OperatorRow {
  person_id: string;
  email: string;
  role: OperatorRole;
  has_second_factor: boolean;
}

/** The account that the person's sign-up made is suspended. */
const IS_SUSPENDED =
  'exists (select from accounts where accounts.id = a.id and accounts.suspended_at is not null)';
const OPERATOR = `o.person_id, a.email, o.role, a.two_factor_enabled or ${ownsFactor('a.id')} as has_second_factor
  from operators o join people a on a.id = o.person_id and a.deleted_at is null and not ${IS_SUSPENDED}`;

export const findOperator = (sql: Queryable, person_id: string): Promise<OperatorRow | undefined> =>
  sql.maybe<OperatorRow>(`select ${OPERATOR} where o.person_id = $1`, [person_id]);

/** Whether a key has neither been deleted nor expired. */
export const isKeyLive = async (sql: Queryable, key_id: string): Promise<boolean> =>
  (await sql.maybe(
    'select 1 from operator_keys where id = $1 and deleted_at is null and expires_at > clock_now()',
    [key_id],
  )) !== undefined;

/** The creator of a live key, if they are still an admin. */
export const findOperatorOfKey = (
  sql: Queryable,
  hash: Buffer,
): Promise<(OperatorRow & { key_id: string; scopes: string[] }) | undefined> =>
  sql.maybe(
    `with used as (
       update operator_keys set last_used_at = clock_now()
       where hash = $1 and (last_used_at is null or last_used_at < clock_now() - interval '1 minute')
     )
     select k.id as key_id, k.scopes, ${OPERATOR}
     join operator_keys k on k.operator_id = o.person_id
     where k.hash = $1 and k.deleted_at is null and k.expires_at > clock_now() and o.role = 'admin'`,
    [hash],
  );

export const selectOperators = (
  sql: Queryable,
): Promise<{ email: string; role: OperatorRole; created_at: string; is_suspended: boolean }[]> =>
  sql.rows(
    `select a.email, o.role, o.created_at, ${IS_SUSPENDED} as is_suspended
     from operators o join people a on a.id = o.person_id and a.deleted_at is null order by a.email`,
  );

/** Serializes changes to the operators. */
export const lockOperators = (tx: Tx): Promise<number> =>
  tx.run('lock table operators in share row exclusive mode');

export const findRole = async (tx: Tx, person_id: string): Promise<OperatorRole | null> =>
  (await tx.maybe<{ role: OperatorRole }>('select role from operators where person_id = $1', [person_id]))
    ?.role ?? null;

/** Whether a member of the account is an operator. */
export const hasOperator = async (tx: Tx, account_id: string): Promise<boolean> =>
  (await tx.maybe(
    'select 1 from operators join memberships using (person_id) where memberships.account_id = $1',
    [account_id],
  )) !== undefined;

export const upsertOperator = (tx: Tx, person_id: string, role: OperatorRole): Promise<number> =>
  tx.run(
    `insert into operators (person_id, role, created_at) values ($1, $2, clock_now())
     on conflict on constraint operators_pkey do update set role = excluded.role`,
    [person_id, role],
  );

export const deleteOperator = (tx: Tx, person_id: string): Promise<number> =>
  tx.run('delete from operators where person_id = $1', [person_id]);

export const findPersonId = async (sql: Queryable, email: string): Promise<string | undefined> =>
  (await sql.maybe<{ id: string }>('select id from people where email = $1 and deleted_at is null', [email]))
    ?.id;

/** Adds and removes operators from the deployment's command line. */
type App = Needs<'db' | 'random'>;

/**
 * Throws a `Refusal` if no account has this address. On a deployment that cannot deliver codes yet, opens the account and returns
 * a link to choose its password.
 */
export const addOperator = (
  app: App & FirstOperatorApp,
  email: string,
  role: OperatorRole,
): Promise<string | undefined> =>
  app.db.transaction(async (tx) => {
    await lockOperators(tx);
    const link = canDeliverCodes(app) ? undefined : await openFirstOperator(tx, app, email);
    await changeRole(tx, app, email, { action: 'operator.add', role });
    return link;
  });

/** Throws a `Refusal` if the account is not an operator. Also disables the operator's keys. */
export const removeOperator = (app: App, email: string): Promise<void> =>
  app.db.transaction(async (tx) => {
    await lockOperators(tx);
    await changeRole(tx, app, email, { action: 'operator.remove', role: null });
  });

async function changeRole(
  tx: Tx,
  app: App,
  email: string,
  { action, role }: { action: string; role: OperatorRole | null },
): Promise<void> {
  const person_id = await findPersonId(tx, email);
  if (!person_id) throw new Refusal(`No account has the address ${email}: sign up first.`);
  const before = await findRole(tx, person_id);
  if (role === null && before === null) throw new Refusal(`${email} is not an operator.`);
  await (role === null ? deleteOperator(tx, person_id) : upsertOperator(tx, person_id, role));
  await recordAction(tx, app, null, {
    action,
    account_id: person_id,
    subject: 'Operator',
    before: { role: before },
    after: { role },
  });
}
