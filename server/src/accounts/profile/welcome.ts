/**
 * Welcome credits. If the deployment sends real SMS or voice calls, an account receives them after it proves a phone number,
 * and each number earns them only once across all accounts. Otherwise every new account receives them immediately.
 */

import { deposit, lockBalance, openBalance } from '../../credits/credits.ts';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';

type App = Needs<'config' | 'random' | 'vault'> & { carriers: Pick<Carriers, 'sendsToPhones'> };

/** Opens a new account's balance. Adds the welcome credits, or promises them until a phone number is proven. */
export async function welcome(tx: Tx, app: App, account_id: string): Promise<void> {
  const { welcomeCredits } = app.config;
  const welcomeNeedsPhone = app.carriers.sendsToPhones();
  await openBalance(tx, account_id, welcomeNeedsPhone ? 0 : welcomeCredits, { id: app.random.uuid() });
  if (welcomeNeedsPhone && welcomeCredits > 0)
    await tx.run('update accounts set welcome_credits_due = $2 where id = $1', [account_id, welcomeCredits]);
}

/**
 * Deposits the promised credits of the account that the person's sign-up made, now that the person has proven `phone`, unless the
 * number has earned credits before. Locks the balance; call it before changing other rows of the account.
 */
export async function giveWelcomeCredits(
  tx: Tx,
  app: Needs<'random' | 'vault'>,
  { person_id, phone }: { person_id: string; phone: string },
): Promise<void> {
  const account_id = await ownAccountOf(tx, person_id);
  if (account_id === undefined) return;
  await lockBalance(tx, account_id);
  const { due } = await tx.one<{ due: number }>(
    'select welcome_credits_due as due from accounts where id = $1 for no key update',
    [account_id],
  );
  if (due === 0 || !(await takeNumber(tx, app, phone))) return;
  await tx.run('update accounts set welcome_credits_due = 0 where id = $1', [account_id]);
  await deposit(tx, {
    account_id,
    id: app.random.uuid(),
    kind: 'welcome',
    reference: `welcome:${account_id}`,
    credits: due,
    description: 'Welcome credits',
  });
}

const ownAccountOf = async (tx: Tx, person_id: string): Promise<string | undefined> =>
  (
    await tx.maybe<{ account_id: string }>(
      `select account_id from memberships where person_id = $1 and account_id = person_id and role = 'owner'`,
      [person_id],
    )
  )?.account_id;

/** True for exactly one transaction per number; concurrent ones wait until it ends. */
async function takeNumber(tx: Tx, { vault }: Needs<'vault'>, phone: string): Promise<boolean> {
  const [current, ...previous] = vault.fingerprints('welcome credits', phone);
  const taken = await tx.run(
    `insert into welcome_numbers (fingerprint, created_at)
     select $1, clock_now() where not exists (select from welcome_numbers where fingerprint = any ($2))
     on conflict do nothing`,
    [current, previous],
  );
  return taken === 1;
}
