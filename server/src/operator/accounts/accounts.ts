import type {
  adjustCredits,
  getAccountVerification,
  listAccountTransactions,
  listAccountVerifications,
  listOperatorAccounts,
  OperatorAccount,
  OperatorAccountDetail,
  revealVerification,
} from '@sixdigit/contract/operator/accounts.ts';
import type { PaymentTransaction } from '@sixdigit/contract/payments.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import {
  findAccount,
  type ListedAccount,
  lastSessionsOf,
  selectAccounts,
  selectSessions,
} from '../../accounts/accounts.ts';
import { formsOf } from '../../accounts/erasure/erasure.ts';
import { accountsOfKey, lastUsesOf, listKeys, testKeysOf } from '../../api-keys/api-keys.ts';
import { balancesOf } from '../../credits/credits.ts';
import { accountOfVerification, usageOf, verificationOf, verificationsOf } from '../../otp/otp.ts';
import { accountsOfOrder, purchaseTotals, transactionsOf } from '../../payments/payments.ts';
import { containing, pageOf, type WholeRecipient } from '../../platform/db/page.ts';
import type { Db, Queryable, Sql } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { maskedNumbers, maskedRecipient } from '../../platform/security/masks.ts';
import { isUuid } from '../../platform/security/random.ts';
import { blockedSendsOf } from '../../protection/protection.ts';
import { listEndpoints } from '../../webhooks/webhooks.ts';
import { recordAction } from '../audit.ts';

/** The operators' view of accounts. Recipients are masked until an operator reveals one, which the audit records. */
type Listed<T> = { results: T[]; count: number };

export async function accountsOf(
  { db: sql, config }: { db: Queryable } & Needs<'config'>,
  { search, state, ordering, ...query }: Parsed<typeof listOperatorAccounts, 'query'>,
): Promise<Listed<OperatorAccount>> {
  const filter = {
    text: containing(search.toLowerCase()),
    phone: phoneNamed({ config }, search),
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
    listEndpoints(sql, id, SHOWN),
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

/** The recipient that a search names in full; null if it names none. */
export const wholeRecipient = (app: Needs<'config'>, search: string): WholeRecipient =>
  formsOf(app, search)?.recipient ?? null;

/** The owner's phone number that a search names in full, in E.164. Operators see it masked, so a part of it finds nothing. */
export const phoneNamed = (app: Needs<'config'>, search: string): string | null => {
  const recipient = wholeRecipient(app, search);
  return recipient?.startsWith('+') ? recipient : null;
};

export async function verificationsOfAccount(
  app: { db: Db } & Needs<'clock' | 'config'>,
  id: string,
  query: Parsed<typeof listAccountVerifications, 'query'>,
): Promise<Reply<typeof listAccountVerifications>> {
  await requireAccount(app.db, id);
  const { results, ...count } = await verificationsOf(app, id, query, wholeRecipient(app, query.search));
  return { ...count, results: results.map((one) => ({ ...one, recipient: maskedRecipient(one.recipient) })) };
}

/** Notes and failures can quote a carrier, which can quote the recipient. Throws `not_found`. */
export async function verificationOfAccount(
  app: Needs<'db'>,
  id: string,
  otp_id: string,
): Promise<Reply<typeof getAccountVerification>> {
  await requireAccount(app.db, id);
  const { message, subject, status_logs, ...found } = await verificationOf(app, id, otp_id);
  return {
    ...found,
    recipient: maskedRecipient(found.recipient),
    failure: found.failure === null ? null : maskedNumbers(found.failure),
    status_logs: status_logs.map((log) => ({
      ...log,
      notes: log.notes === null ? null : maskedNumbers(log.notes),
    })),
    has_text: message !== null || subject !== null,
  };
}

export async function transactionsOfAccount(
  app: Needs<'db'>,
  id: string,
  query: Parsed<typeof listAccountTransactions, 'query'>,
): Promise<Listed<PaymentTransaction>> {
  await requireAccount(app.db, id);
  return transactionsOf(app, id, query);
}

/** The audit has the entry before the operator has the recipient. */
export async function reveal(
  app: Needs<'db' | 'random'>,
  by: OperatorCaller,
  { id, otp_id }: { id: string; otp_id: string },
  { reason }: Parsed<typeof revealVerification, 'body'>,
): Promise<Reply<typeof revealVerification>> {
  if (!isUuid(id)) throw new Failure('not_found');
  const found = await verificationOf(app, id, otp_id);
  await app.db.transaction((tx) =>
    recordAction(tx, app, by, {
      action: 'verification.reveal',
      account_id: id,
      subject: `Verification ${found.id}`,
      reason,
    }),
  );
  return found;
}

export async function requireAccount(sql: Queryable, id: string): Promise<void> {
  const found = isUuid(id) ? await findAccount(sql, id) : undefined;
  if (!found) throw new Failure('not_found');
}

export type Adjustment = Parsed<typeof adjustCredits, 'body'>;

/** The lists' rows of accounts. The modules that own the facts return them for a whole page of accounts at once. */
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

/** The accounts of the API key, order, payment or verification that a search names in full, and of an API key's prefix. */
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
