import { createHash } from 'node:crypto';
import pg from 'pg';
import { newKeyText } from '../server/src/api-keys/key.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { systemRandom } from '../server/src/platform/random.ts';

export interface Account {
  account_id: string;
  api_key_id: string;
  key: string;
}

/** The opening balance of every account. It has no ledger row. */
export const FIRST_CREDITS = 100_000_000;

const random = systemRandom(systemClock);

/** Creates accounts with enough credits for any run. Returns one row per key. `webhooks` adds an active endpoint to each account. */
export async function fillAccounts(
  url: string,
  { accounts, keysEach, webhooks = false }: { accounts: number; keysEach: number; webhooks?: boolean },
): Promise<Account[]> {
  const client = new pg.Client({ connectionString: url });
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
        const key = newKeyText(random);
        const api_key_id = random.uuid();
        await client.query(
          `insert into api_keys (id, account_id, name, prefix, hash, created_at) values ($1, $2, 'bench', $3, $4, now())`,
          [api_key_id, account_id, key.slice(0, 12), createHash('sha256').update(key).digest()],
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

/** Empties the delivery queue, which runs without a worker fill. */
export async function clearQueue(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('truncate deliveries');
  await client.query('vacuum analyze');
  await client.end();
}
