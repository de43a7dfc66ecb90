import { createHash } from 'node:crypto';
import { RULES } from '@sixdigit/contract/protection/protection.ts';
import pg from 'pg';
import { newKeyText } from '../../server/src/api-keys/key.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { connectionOf } from '../../server/src/platform/db/tls.ts';
import { systemRandom } from '../../server/src/platform/security/random.ts';

export interface Account {
  account_id: string;
  api_key_id: string;
  key: string;
}

/** The opening balance of every account. It has no ledger row. */
export const FIRST_CREDITS = 100_000_000;

const random = systemRandom(systemClock);

/**
 * Creates accounts with enough credits for any run. Returns one row per key. `webhooks` adds an active webhook endpoint to each
 * account.
 */
export async function fillAccounts(
  url: string,
  { accounts, keysEach, webhooks = false }: { accounts: number; keysEach: number; webhooks?: boolean },
): Promise<Account[]> {
  const client = new pg.Client(connectionOf(url));
  await client.connect();
  const all: Account[] = [];
  try {
    for (let n = 0; n < accounts; n++) {
      const account_id = random.uuid();
      await client.query('insert into accounts (id, email, username) values ($1, $2, $2)', [
        account_id,
        `${account_id}@bench.test`,
      ]);
      await client.query('insert into balances (account_id, credits) values ($1, $2)', [
        account_id,
        FIRST_CREDITS,
      ]);
      if (webhooks)
        await client.query(
          `insert into webhook_endpoints (id, account_id, name, url, secret, send_on_sent, created_at)
         values ($1, $2, 'bench', 'https://bench.invalid/', '\\x00', false, now())`,
          [random.uuid(), account_id],
        );
      for (let k = 0; k < keysEach; k++) {
        const key = newKeyText({ config: { cell: '00' }, random });
        const api_key_id = random.uuid();
        await client.query(
          `insert into api_keys (id, account_id, name, prefix, hash, created_at) values ($1, $2, 'bench', $3, $4, now())`,
          [api_key_id, account_id, key.slice(0, 14), createHash('sha256').update(key).digest()],
        );
        all.push({ account_id, api_key_id, key });
      }
    }
    await client.query('vacuum analyze');
    return all;
  } finally {
    await client.end();
  }
}

/** The row of `protection_settings` that holds the rules over all accounts. */
const DEPLOYMENT = '00000000-0000-0000-0000-000000000000';

/**
 * Switches off the rules on destinations, which would refuse a run's sequential numbers. The rules over all accounts count the
 * same sends, so they are switched off too. Processes read the settings at their start and then every second.
 */
export const switchRulesOff = (url: string, accounts: readonly Owner[]): Promise<void> =>
  setRules(url, accounts, Object.fromEntries(RULES.map((rule) => [rule, { mode: 'off' }])));

/** Resets all rules to their defaults. */
export const restoreRules = (url: string, accounts: readonly Owner[]): Promise<void> =>
  setRules(url, accounts, {});

type Owner = Pick<Account, 'account_id'>;

const setRules = (url: string, accounts: readonly Owner[], rules: object): Promise<void> =>
  runOnce(
    url,
    `insert into protection_settings (account_id, rules, updated_at)
     select id, $2, clock_now() from unnest($1::uuid[]) as id
     on conflict (account_id) do update set rules = excluded.rules, updated_at = excluded.updated_at`,
    [[...new Set([DEPLOYMENT, ...accounts.map(({ account_id }) => account_id)])], JSON.stringify(rules)],
  );

/** Turns the triggers that count verifications for insights on or off. */
export const switchCounters = (url: string, state: 'enable' | 'disable'): Promise<void> =>
  runOnce(url, `alter table verifications ${state} trigger user`);

/** Adds up the triggers' pending deltas. */
export const foldCounters = (url: string): Promise<void> => runOnce(url, 'select fold_insights(1000000)');

async function runOnce(url: string, text: string, params: unknown[] = []): Promise<void> {
  const client = new pg.Client(connectionOf(url));
  await client.connect();
  try {
    await client.query(text, params);
  } finally {
    await client.end();
  }
}

/** Empties the delivery queue, which fills up in runs without a worker. */
export async function clearQueue(url: string): Promise<void> {
  const client = new pg.Client(connectionOf(url));
  await client.connect();
  await client.query('truncate deliveries, plans');
  await client.query('vacuum analyze');
  await client.end();
}
