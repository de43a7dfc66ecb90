import { recipientHash, runSendBatch } from '../../server/src/otp/otp.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { systemRandom } from '../../server/src/platform/security/random.ts';
import { createVault } from '../../server/src/platform/security/vault.ts';
import { createWakeups } from '../../server/src/platform/wakeups.ts';
import { createProtection, destinationOf } from '../../server/src/protection/protection.ts';
import { readConfig } from '../../server/src/settings/settings.ts';
import type { Account } from '../harness/accounts.ts';

/** Durable sends per second with one send per transaction, from 16 connections, without HTTP. */
export async function onesPerSecond(
  url: string,
  secretKey: string,
  accounts: readonly Account[],
  seconds: number,
  nextPhone: () => string,
): Promise<number> {
  const config = readConfig({
    DATABASE_URL: url,
    SECRET_KEY: secretKey,
    PUBLIC_URL: 'http://bench.localhost',
  });
  const log = createLog('warn');
  const random = systemRandom(systemClock);
  const db = openDb({ url, log, max: 16 });
  const vault = createVault(secretKey, [], random);
  const app = { config, db, clock: systemClock, random, log, vault, wakeups: createWakeups() };
  const protection = createProtection(app);
  let n = 0;
  let accepted = 0;
  const until = performance.now() + seconds * 1000;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      await using connection = await db.connection();
      while (performance.now() < until) {
        const account = accounts[n++ % accounts.length] as Account;
        const recipient = nextPhone();
        const { account_id, api_key_id } = account;
        const key = { account_id, api_key_id };
        const sent = {
          ...key,
          channel: 'sms',
          recipient,
          segments: 1,
          cost_credits: 1,
          is_test: false,
        } as const;
        const [outcome] = await runSendBatch(
          { ...app, protection, deliveries: { reserve: () => undefined } },
          connection,
          [
            {
              ...sent,
              row: { ...sent, country: 'US', own_code: false },
              id: random.uuid(),
              log_id: random.uuid(),
              recipient_hash: recipientHash(app, recipient),
              expires_in: 300,
              code_length: 6,
              ip_address: '127.0.0.1',
              started_ms: Date.now(),
              opt_out: null,
              suppression: null,
              destination: destinationOf(recipient, null) ?? null,
              idempotency: null,
              account_limits: null,
              own_code: null,
            },
          ],
          false,
        );
        if (outcome?.kind === 'accepted') accepted++;
      }
    }),
  );
  const rate = accepted / ((performance.now() - began) / 1000);
  await db.close();
  return rate;
}
