import {
  ACCOUNTS_MAX,
  type OwnAccount,
  type TransferCreditsBody,
} from '@sixdigit/contract/accounts/own-accounts.ts';
import type { z } from 'zod';
import { byOwner, byPerson, record } from '../../audit/audit.ts';
import {
  balanceOf,
  deduct,
  deposit,
  findEntry,
  lockBalances,
  NotEnoughCredits,
  openBalance,
} from '../../credits/credits.ts';
import { lock } from '../../platform/db/advisory-locks.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { PersonCaller, UserCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { ACCOUNTS_BY_PERSON, reserve, throttle } from '../limits.ts';
import { insertAccount, lockPerson } from '../queries.ts';
import { insertMembership } from '../sessions/memberships.ts';
import { lockMembers } from './authority.ts';

/** The accounts of a person, and the credits that they move between those that they own. */

const SHOWN = `a.id, coalesce(a.slug, '') as slug, coalesce(nullif(a.name, ''), a.email, '') as name, m.role`;

/** The first is the one that calls without a chosen account are about. */
export const accountsOf = (
  sql: Queryable,
  { person_id, sso_account_id }: Pick<PersonCaller, 'person_id' | 'sso_account_id'>,
): Promise<OwnAccount[]> =>
  sql.rows<OwnAccount>(
    `select ${SHOWN} from memberships m join accounts a on a.id = m.account_id
     where m.person_id = $1 and ($2::uuid is null or m.account_id = $2)
     order by m.account_id = $1 desc, m.joined_at, m.account_id`,
    [person_id, sso_account_id],
  );

const accountOf = (sql: Queryable, person_id: string, account_id: string): Promise<OwnAccount | undefined> =>
  sql.maybe<OwnAccount>(
    `select ${SHOWN} from memberships m join accounts a on a.id = m.account_id
     where m.person_id = $1 and m.account_id = $2`,
    [person_id, account_id],
  );

/** Throws `account_limit_reached` and `too_many_requests`. */
export async function createAccount(
  app: Needs<'db' | 'random' | 'vault'>,
  caller: PersonCaller,
  name: string,
): Promise<OwnAccount> {
  const { person_id } = caller;
  const id = app.random.uuid();
  // Accounts keep a row when they are deleted, so the number created per day is limited too.
  const reservation = await reserve(app, [throttle(ACCOUNTS_BY_PERSON, person_id)]);
  try {
    return await app.db.transaction(async (tx) => {
      await lockPerson(tx, person_id);
      await requireRoom(tx, person_id);
      await insertAccount(tx, { id, name });
      await insertMembership(tx, { account_id: id, person_id, role: 'owner' });
      await openBalance(tx, id, 0, { id: app.random.uuid() });
      await giveSlugs(tx, app, person_id);
      await record(tx, app, { account_id: id, ...byPerson(caller), action: 'account.create' });
      return mustExist(await accountOf(tx, person_id, id));
    });
  } catch (error) {
    await reservation.release();
    throw error;
  }
}

/** Throws `account_limit_reached`. Lock the person first. */
export async function requireRoom(tx: Tx, person_id: string): Promise<void> {
  const { n } = await tx.one<{ n: number }>('select count(*) as n from memberships where person_id = $1', [
    person_id,
  ]);
  if (n >= ACCOUNTS_MAX) throw new Failure('account_limit_reached');
}

const mustExist = (account: OwnAccount | undefined): OwnAccount => {
  if (!account) throw new Failure('not_found');
  return account;
};

/**
 * Locks an account that the person joins, and those of their accounts that `giveSlugs` then changes. A transaction that locks
 * several accounts locks them in the order of their ids.
 */
export const lockAccountsOf = (tx: Tx, person_id: string, account_id: string): Promise<number> =>
  tx.run(
    `select from accounts
     where id = $2 or (slug is null and id in (select account_id from memberships where person_id = $1))
     order by id for no key update`,
    [person_id, account_id],
  );

/**
 * Gives each account of a person who now has several its place in addresses; see `lockAccountsOf`. Only one transaction at a time
 * chooses, so that two do not choose the same.
 */
export async function giveSlugs(tx: Tx, app: Needs<'random'>, person_id: string): Promise<void> {
  const without = await tx.rows<{ id: string; name: string }>(
    `select a.id, coalesce(nullif(a.name, ''), a.username, split_part(a.email, '@', 1), '') as name
     from memberships m join accounts a on a.id = m.account_id
     where m.person_id = $1 and a.slug is null
       and exists (select from memberships other where other.person_id = $1 and other.account_id <> a.id)
     order by a.id for no key update of a`,
    [person_id],
  );
  if (without.length === 0) return;
  await lock(tx, 'slugs');
  for (const { id, name } of without)
    for (const slug of slugs(app, name))
      if (
        (await tx.run(
          `update accounts set slug = $2
           where id = $1 and slug is null and not exists (select from accounts where slug = $2)`,
          [id, slug],
        )) === 1
      )
        break;
}

/** Lower-case letters, digits and single hyphens; then the same with a number. */
function* slugs(app: Needs<'random'>, name: string): Generator<string> {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const base = plain || 'account';
  yield base;
  for (let n = 2; n < 6; n += 1) yield `${base}-${n}`;
  for (let n = 0; n < 20; n += 1) yield `${base}-${app.random.digits(8)}`;
}

export async function renameAccount(
  app: Needs<'db' | 'random'>,
  caller: UserCaller,
  name: string,
): Promise<OwnAccount> {
  const { account_id, person_id } = caller;
  return app.db.transaction(async (tx) => {
    await lockMembers(tx, caller, 'admin');
    const { was } = await tx.one<{ was: string }>(
      `with old as (select id as old_id, name as was from accounts where id = $1)
       update accounts set name = $2 from old where id = old_id returning was`,
      [account_id, name],
    );
    if (was !== name)
      await record(tx, app, {
        ...byOwner(caller),
        action: 'account.rename',
        subject: name,
        before: { name: was },
        after: { name },
      });
    return mustExist(await accountOf(tx, person_id, account_id));
  });
}

/**
 * Moves credits once per `request_key`. Throws `insufficient_credits`, `idempotency_key_reused`, and a field error unless the
 * caller owns another account with the given id, and neither account is suspended.
 */
export async function transferCredits(
  app: Needs<'db' | 'random'>,
  caller: UserCaller,
  { to_account_id, credits }: z.output<typeof TransferCreditsBody>,
  request_key: Buffer | null,
): Promise<{ credits: number }> {
  const { account_id, person_id } = caller;
  if (to_account_id === account_id) throw refused('Choose another account.');
  const reference = `transfer:${account_id}:${request_key?.toString('hex') ?? app.random.uuid()}`;
  return app.db.transaction(async (tx) => {
    await lockBalances(tx, [account_id, to_account_id]);
    // Every change of a membership locks its account first, so none happens until the transaction ends.
    await tx.run('select from accounts where id = any ($1) order by id for share', [
      [account_id, to_account_id],
    ]);
    const owned = await tx.rows<{ id: string; name: string; is_suspended: boolean }>(
      `select a.id, coalesce(nullif(a.name, ''), a.email) as name, a.suspended_at is not null as is_suspended
       from memberships m join accounts a on a.id = m.account_id and a.deleted_at is null
       where m.person_id = $1 and m.account_id = any ($2) and m.role = 'owner'
         and not sso_bars(m.account_id, m.person_id)`,
      [person_id, [account_id, to_account_id]],
    );
    const [from, to] = [account_id, to_account_id].map((id) => owned.find((one) => one.id === id));
    if (!from || !to) throw refused('Choose an account that you own.');
    if (from.is_suspended || to.is_suspended)
      throw refused('A suspended account can neither send nor receive credits.');
    const entry = { reference, credits };
    const out = { ...entry, account_id, id: app.random.uuid(), kind: 'transfer_out' } as const;
    if (await deduct(tx, { ...out, description: `To ${to.name}` }).catch(notEnough)) {
      const into = { account_id: to.id, id: app.random.uuid(), kind: 'transfer_in' } as const;
      await deposit(tx, { ...entry, ...into, description: `From ${from.name}` });
      const by = byOwner(caller);
      await record(tx, app, { ...by, action: 'credits.transfer', subject: to.name, after: { credits } });
      await record(tx, app, {
        ...by,
        account_id: to.id,
        action: 'credits.receive',
        subject: from.name,
        after: { credits },
      });
    } else if (!(await wasMoved(tx, { ...entry, account_id: to.id })))
      throw new Failure('idempotency_key_reused');
    return { credits: (await balanceOf(tx, account_id)).credits };
  });
}

/** Whether the earlier request with this key moved the same credits to the same account. */
const wasMoved = async (
  tx: Tx,
  { reference, account_id, credits }: { reference: string; account_id: string; credits: number },
): Promise<boolean> => {
  const entry = await findEntry(tx, { kind: 'transfer_in', reference });
  return entry?.account_id === account_id && entry.credits === credits;
};

const refused = (text: string): FieldErrors => new FieldErrors({ to_account_id: [text] });

const notEnough = (error: unknown): never => {
  if (error instanceof NotEnoughCredits) throw new Failure('insufficient_credits');
  throw error;
};
