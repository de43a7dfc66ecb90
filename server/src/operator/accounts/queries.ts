import type { OperatorAccount } from '@sixdigit/contract/operator/accounts.ts';
import { type ListedAccount, lastSessionsOf } from '../../accounts/accounts.ts';
import { accountsOfKey, lastUsesOf, testKeysOf } from '../../api-keys/api-keys.ts';
import { balancesOf } from '../../credits/credits.ts';
import { accountOfVerification, usageOf } from '../../otp/otp.ts';
import { accountsOfOrder } from '../../payments/payments.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { blockedSendsOf } from '../../protection/protection.ts';

/** The lists' rows of accounts. The modules that own the facts return them for a whole page of accounts at once. */
export async function withFacts<T extends ListedAccount>(
  sql: Queryable,
  accounts: readonly T[],
): Promise<
  (T &
    Pick<
      OperatorAccount,
      'credits' | 'debt' | 'sends_30_days' | 'verified_30_days' | 'blocked_24_hours' | 'last_activity_at'
    >)[]
> {
  const ids = accounts.map(({ id }) => id);
  const [balances, usage, blocked, keys, sessions] = await Promise.all([
    balancesOf(sql, ids),
    testKeysOf(sql, ids).then((test_keys) => usageOf(sql, ids, test_keys)),
    blockedSendsOf(sql, ids),
    lastUsesOf(sql, ids),
    lastSessionsOf(sql, ids),
  ]);
  return accounts.map((account) => {
    const { credits = 0, debt = 0 } = balances.get(account.id) ?? {};
    const { sends = 0, verified = 0 } = usage.get(account.id) ?? {};
    const times = [keys.get(account.id), sessions.get(account.id)].filter((at) => at !== undefined);
    return {
      ...account,
      credits,
      debt,
      sends_30_days: sends,
      verified_30_days: verified,
      blocked_24_hours: blocked.get(account.id) ?? 0,
      last_activity_at: times.toSorted().at(-1) ?? null,
    };
  });
}

interface Named {
  /** a whole UUID */
  id: string | null;
  text: string;
}

/** The accounts of the API key, order, payment or verification that a search names in full, and of an API key's prefix. */
export async function accountsNamedBy(sql: Queryable, { id, text }: Named): Promise<string[]> {
  const isKey = text.startsWith('sd_');
  if (id === null && !isKey && !text.startsWith('pi_')) return [];
  const found = await Promise.all([
    id === null && !isKey ? [] : accountsOfKey(sql, { id, text }),
    isKey ? [] : accountsOfOrder(sql, { id, intent_id: text }),
    id === null ? [] : accountOfVerification(sql, id),
  ]);
  return [...(id === null ? [] : [id]), ...found.flat()];
}
