import type {
  listOperatorAccounts,
  OperatorAccount,
  OperatorAccountDetail,
} from '@sixdigit/contract/operator/accounts.ts';
import * as contract from '@sixdigit/contract/operator/accounts.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import {
  findAccount,
  type ListedAccount,
  lastSessionsOf,
  selectAccounts,
  selectSessions,
} from '../../accounts/accounts.ts';
import { accountsOfKey, lastUsesOf, listKeys, testKeysOf } from '../../api-keys/api-keys.ts';
import { balancesOf } from '../../credits/credits.ts';
import { accountOfVerification, usageOf } from '../../otp/otp.ts';
import { accountsOfOrder, purchaseTotals } from '../../payments/payments.ts';
import { containing, pageOf } from '../../platform/db/page.ts';
import type { Queryable, Sql } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import type { Needs, Platform } from '../../platform/platform.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { isUuid } from '../../platform/security/random.ts';
import { blockedSendsOf } from '../../protection/protection.ts';
import { listEndpoints } from '../../webhooks/webhooks.ts';
import type { Readers } from '../reading.ts';

export function accountRoutes(server: Server, app: Platform, { read }: Readers): void {
  read(contract.listOperatorAccounts, ({ db, query, whole }) => accountsOf(db, query, whole));
  serve(server, contract.getOperatorAccount, ({ params }) => accountDetail(app, params.id));
}

/**
 * `phone`: a phone number, if the search contains one in full. Operators see owners' numbers masked, so part of a number
 * matches nothing.
 */
export async function accountsOf(
  sql: Queryable,
  { search, state, ordering, ...query }: Parsed<typeof listOperatorAccounts, 'query'>,
  phone: string | null,
): Promise<{ results: OperatorAccount[]; count: number }> {
  const filter = {
    text: containing(search.toLowerCase()),
    phone,
    ids: await accountsNamedBy(sql, { id: isUuid(search) ? search : null, text: search }),
    state: state === 'all' ? null : state,
  };
  const { accounts, count } = await selectAccounts(sql, filter, { ordering, ...pageOf(query) });
  return { results: await withFacts(sql, accounts), count };
}

const SHOWN_MOST = 100;
const SHOWN = { page: 1, page_size: SHOWN_MOST, search: '', ordering: '-created_at' } as const;

/** Throws `not_found`. */
export async function accountDetail(
  { db: sql, placeOf }: { db: Sql } & Needs<'placeOf'>,
  id: string,
): Promise<OperatorAccountDetail> {
  const found = isUuid(id) ? await findAccount(sql, id) : undefined;
  if (!found) throw new Failure('not_found');
  const [[facts], purchases, keys, endpoints, sessions] = await Promise.all([
    withFacts(sql, [found]),
    purchaseTotals(sql, id),
    listKeys({ db: sql }, id, SHOWN),
    listEndpoints(sql, { account_id: id, role: 'owner' }, SHOWN),
    selectSessions({ db: sql, placeOf }, id, null),
  ]);
  if (!facts) throw new Failure('not_found');
  const phone_number = found.phone_number === '' ? '' : maskedRecipient(found.phone_number);
  return {
    ...facts,
    ...purchases,
    phone_number,
    api_keys: keys.results,
    webhooks: endpoints.results,
    sessions,
  };
}

/** Adds the facts that lists show about accounts. Each module returns its facts for a whole page of accounts in one query. */
async function withFacts<T extends ListedAccount>(
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

/**
 * The accounts that own the API key, order, payment or verification whose full id the search contains, or the API keys with
 * this prefix.
 */
async function accountsNamedBy(sql: Queryable, { id, text }: Named): Promise<string[]> {
  const isKey = text.startsWith('sd_');
  if (id === null && !isKey && !text.startsWith('pi_')) return [];
  const found = await Promise.all([
    id === null && !isKey ? [] : accountsOfKey(sql, { id, text }),
    isKey ? [] : accountsOfOrder(sql, { id, intent_id: text }),
    id === null ? [] : accountOfVerification(sql, id),
  ]);
  return [...(id === null ? [] : [id]), ...found.flat()];
}
