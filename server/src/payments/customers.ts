import { billingNameOf } from '../accounts/accounts.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { type CardProvider, ProviderUnavailable } from './card-provider.ts';

export interface Customer {
  customer_id: string;
  last_method_id: string | null;
}

export const findCustomer = (
  sql: Sql,
  { name }: CardProvider,
  account_id: string,
): Promise<Customer | undefined> =>
  sql.maybe<Customer>(
    'select customer_id, last_method_id from payment_customers where account_id = $1 and provider = $2',
    [account_id, name],
  );

/** Returns the account's customer and creates it on the first purchase. Concurrent calls create one. */
export async function ensureCustomer(
  app: Needs<'db'>,
  cards: CardProvider,
  account_id: string,
): Promise<Customer> {
  const known = await findCustomer(app.db, cards, account_id);
  if (known) return known;
  const { email } = await billingNameOf(app.db, account_id);
  try {
    await insertCustomer(app.db, cards, account_id, await cards.createCustomer({ account_id, email }));
  } catch (error) {
    // Another process may be making the same request or have just finished it.
    const made = error instanceof ProviderUnavailable && (await findCustomer(app.db, cards, account_id));
    if (made) return made;
    throw error;
  }
  const made = await findCustomer(app.db, cards, account_id);
  if (!made) throw new Error(`No customer of account ${account_id} although one was just stored`);
  return made;
}

const insertCustomer = (
  sql: Sql,
  { name }: CardProvider,
  account_id: string,
  customer_id: string,
): Promise<number> =>
  sql.run(
    `insert into payment_customers (account_id, provider, customer_id, created_at)
     values ($1, $2, $3, clock_now()) on conflict do nothing`,
    [account_id, name, customer_id],
  );

export const rememberMethod = (
  tx: Tx,
  { account_id, provider, method_id }: { account_id: string; provider: string; method_id: string },
): Promise<number> =>
  tx.run('update payment_customers set last_method_id = $3 where account_id = $1 and provider = $2', [
    account_id,
    provider,
    method_id,
  ]);

/** Whether the account has ever saved a card. */
export const hasSavedMethod = async (
  tx: Tx,
  { account_id, provider }: { account_id: string; provider: string },
): Promise<boolean> =>
  (await tx.maybe(
    'select 1 from payment_customers where account_id = $1 and provider = $2 and last_method_id is not null',
    [account_id, provider],
  )) !== undefined;

/** Customers of deleted accounts, whose cards must be deleted too. */
export const customersToForget = (
  sql: Sql,
  { name }: CardProvider,
  most: number,
): Promise<{ account_id: string; customer_id: string }[]> =>
  sql.rows(
    `select c.account_id, c.customer_id from payment_customers c
     join accounts a on a.id = c.account_id and a.deleted_at is not null
     where c.provider = $1 limit $2`,
    [name, most],
  );

export const deleteCustomer = (sql: Sql, { name }: CardProvider, account_id: string): Promise<number> =>
  sql.run('delete from payment_customers where account_id = $1 and provider = $2', [account_id, name]);
