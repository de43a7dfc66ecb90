import { DEFAULT_SCOPES } from '@sixdigit/contract/api-keys.ts';
import { createPasswords } from '../../../accounts/accounts.ts';
import { hashOfKey, newKeyText, prefixOfKey } from '../../../api-keys/api-keys.ts';
import type { Carriers } from '../../../messaging/carriers/carriers.ts';
import { findOperator, makeFirstOperator } from '../../../operator/operator.ts';
import { recipientHash, sendInBatch } from '../../../otp/otp.ts';
import { forgetCounts } from '../../../platform/db/count-days.ts';
import { restartRemoval } from '../../../platform/db/removed-recipients.ts';
import type { Needs } from '../../../platform/platform.ts';
import { destinationOf, type Protection } from '../../../protection/protection.ts';
import { generateSecret, sealSecret } from '../../../webhooks/webhooks.ts';
import { activityOf } from './activity.ts';
import { connectionRows, connectionsOf } from './connections.ts';
import { consoleOf } from './console.ts';
import {
  addMinutes,
  countDestinations,
  knownRecipientsOf,
  minutesOf,
  noteWrongCodes,
  refundCosts,
} from './counts.ts';
import { bytea, type History, historyOf, idAt, SERVER_ADDRESS } from './history.ts';
import { plannedSends } from './planned.ts';
import {
  accountExists,
  ensurePastMonths,
  GIFT,
  insertRows,
  numberReceipts,
  openBalanceByLedger,
  purchasesOf,
} from './purchases.ts';
import { OLD_APP_DAYS, seedSends } from './sends.ts';
import { EXPIRY_SECONDS } from './story.ts';

/**
 * Creates a demo account with forty days of history for the screens: every status, refused requests, successful and failed
 * webhooks, an attack, changes and sign-ins, and sums that agree with them. Only in a sandbox, and only once.
 */
type App = Needs<'db' | 'config' | 'clock' | 'random' | 'vault' | 'log'> &
  Parameters<typeof sendInBatch>[0] & {
    carriers: Pick<Carriers, 'isSimulated'>;
    protection: Pick<Protection, 'guard' | 'exchange'>;
    activity: { count(kind: string): void; flush(): Promise<void> };
  };

export const DEMO_EMAIL = 'demo@example.com';
const DAY_MS = 86_400_000;
/** Its first messages are a day younger. */
const ENDPOINT_DAYS = 30.1;

/** `npm start -- seed [password]`: generates a password if none is given and prints it once. Returns the exit code. */
export async function seedCommand(
  app: App,
  [given, ...rest]: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  if (!app.config.sandbox) {
    print('Only a sandbox can have a demonstration account. SANDBOX=1 makes this service a sandbox.');
    return 2;
  }
  if (rest.length > 0 || (given !== undefined && (given.length < 8 || given.length > 128))) {
    print('Give one password of 8 to 128 characters, or none: npm start -- seed [password]');
    return 2;
  }
  if (await accountExists(app.db, DEMO_EMAIL)) {
    print(`The demonstration account ${DEMO_EMAIL} already exists; nothing was changed.`);
    return 0;
  }
  const password = given ?? app.random.bytes(12).toString('base64url');
  const { api_key, credits } = await seedAccount(app, password);
  print(`Demonstration account: ${DEMO_EMAIL}`);
  if (given === undefined) print(`Password:              ${password}`);
  print(`API key:               ${api_key}`);
  print(`Credits:               ${credits}`);
  return 0;
}

async function seedAccount(app: App, password: string): Promise<{ api_key: string; credits: number }> {
  // The demo account's id is older than anyone's, so whoever signed up before must become the operator first.
  await makeFirstOperator(app);
  const password_hash = await createPasswords().hash(password, {
    room: 'open',
    client: { networks: ['seed'] },
  });
  await app.db.transaction(ensurePastMonths).catch((error: unknown) => {
    // The partitions cannot be created if the default partition already holds rows of those months. The seed then uses the
    // default partition.
    app.log.debug({ err: error }, 'could not create partitions of past months');
  });
  const now = app.clock.now().getTime();
  const since = new Date(now - 41 * DAY_MS);
  const account_id = idAt(since);
  const endpoint_at = new Date(now - ENDPOINT_DAYS * DAY_MS);
  const endpoint_id = idAt(endpoint_at);
  const key = newKeyText(app);
  const sends = [...seedSends(now), ...plannedSends(now)].sort((one, other) => one.sent_ms - other.sent_ms);
  const keys = keysOf(app, account_id, key, since);
  const bought = purchasesOf(app, account_id, since);
  const connections = connectionsOf(app, account_id);
  const allKeys = [...keys, ...connections.map(({ key: own }) => own)];
  const history = historyOf(app, { account_id, keys: allKeys, connections, endpoint_id }, sends);
  const ledger = [...bought.ledger, ...history.ledger];
  const endpoints = endpointsOf(app, { account_id, endpoint_id, endpoint_at }, history, since);
  const help = helpOf(history, ledger, now);
  const usedKeys = allKeys.map((one) => ({ ...one, last_used_at: lastUseOf(one.id, history) }));
  const activity = activityOf(app, { account_id, since, keys, connections, endpoints, ...help });
  const live = history.request_logs.filter(({ api_key_id }) => api_key_id !== keys.find(isTest)?.id);
  countDestinations(app, account_id, sends);
  await app.db.transaction(async (tx) => {
    // Drops the daily counts, because the seed writes rows for days before the first counted one.
    await forgetCounts(tx);
    await restartRemoval(tx);
    await insertRows(tx, 'accounts', [accountRow({ id: account_id, password_hash, created_at: since })]);
    await insertRows(tx, 'api_keys', usedKeys);
    await insertRows(tx, 'connections', connectionRows(app, connections, history));
    await insertRows(tx, 'ledger', ledger);
    await openBalanceByLedger(tx, account_id);
    for (const table of ['payment_customers', 'sandbox_cards', 'orders'] as const)
      await insertRows(tx, table, bought[table]);
    await numberReceipts(tx, account_id);
    await insertRows(tx, 'known_recipients', knownRecipientsOf(app, account_id, sends));
    await insertRows(tx, 'webhook_endpoints', endpoints);
    for (const table of HISTORY) await insertRows(tx, table, history[table]);
    await refundCosts(tx, account_id, history.refunded);
    await noteWrongCodes(tx, history.request_logs);
    await addMinutes(tx, minutesOf(live, sends, now));
    for (const table of ['audit_entries', 'sessions'] as const) await insertRows(tx, table, activity[table]);
  });
  // Without an earlier person, the demo account's is the first of a local sandbox.
  await makeFirstOperator(app);
  if (await findOperator(app.db, account_id)) {
    const done = consoleOf(app, { account_id, operator_id: account_id, ...help });
    await app.db.transaction(async (tx) => {
      for (const table of ['announcements', 'operator_keys', 'operator_actions'] as const)
        await insertRows(tx, table, done[table]);
    });
  }
  await sendNow(app, { account_id, api_key_id: keys[0]?.id ?? '' });
  await app.protection.exchange();
  await app.activity.flush();
  const { credits } = await app.db.one<{ credits: number }>(
    'select credits from balances where account_id = $1',
    [account_id],
  );
  return { api_key: key, credits };
}

const HISTORY = [
  'verifications',
  'status_history',
  'request_logs',
  'webhook_messages',
  'webhook_attempts',
  'test_messages',
] as const;

const isTest = ({ mode }: { mode: string }): boolean => mode === 'test';

const lastUseOf = (id: string, { request_logs }: History): Date | null =>
  request_logs
    .filter(({ api_key_id }) => api_key_id === id)
    .reduce<Date | null>((last, { created_at }) => (last && last > created_at ? last : created_at), null);

/** What an operator did for the account: looked at a late message, and gave credits. */
function helpOf({ verifications }: History, ledger: readonly object[], now: number) {
  const at = new Date(now - GIFT.days * DAY_MS);
  const entries = ledger as { credits: number; created_at: Date }[];
  const credits = entries
    .filter(({ created_at }) => created_at < at)
    .reduce((sum, entry) => sum + entry.credits, 0);
  const sent = verifications as { id: string; country: string | null; created_at: Date }[];
  const late = sent.findLast(({ country, created_at }) => country === 'CA' && created_at < at);
  return {
    revealed: { id: late?.id ?? '', at: new Date(at.getTime() - 240_000) },
    gift: { before: { credits, debt: 0 }, after: { credits: credits + GIFT.credits, debt: 0 } },
  };
}

const accountRow = (account: { id: string; password_hash: string; created_at: Date }) => ({
  ...account,
  email: DEMO_EMAIL,
  username: 'demo',
  first_name: 'Dana',
  last_name: 'Morgan',
  phone_number: '+14155550100',
  phone_verified_at: account.created_at,
  two_factor_enabled: false,
  two_factor_method: 'email',
  sender_name: 'Acme',
  reply_to_email: '',
  default_subject: '',
  default_message: '',
  default_otp_length: 6,
  default_expiry_seconds: EXPIRY_SECONDS,
  auto_purchase_enabled: false,
  auto_purchase_threshold: 50,
  auto_purchase_amount: 500,
});

/** The first key is given. The other keys get random texts that are never stored. */
function keysOf(app: App, account_id: string, firstKey: string, since: Date) {
  const now = app.clock.now().getTime();
  const key = (n: number, name: string, text: string, deleted_at: Date | null = null) => {
    const created_at = new Date(since.getTime() + (10 + n) * 60_000);
    return {
      id: idAt(created_at),
      account_id,
      name,
      kind: 'key',
      mode: text.startsWith('sd_test_') ? 'test' : 'live',
      scopes: DEFAULT_SCOPES,
      prefix: prefixOfKey(text),
      hash: bytea(hashOfKey(text)),
      created_by: account_id,
      created_at,
      deleted_at,
    };
  };
  return [
    key(1, 'Production', firstKey),
    key(2, 'Staging', newKeyText(app)),
    key(3, 'Old mobile app', newKeyText(app), new Date(now - OLD_APP_DAYS * DAY_MS)),
    key(4, 'Analytics', newKeyText(app)),
    key(5, 'Local tests', newKeyText(app, 'sd_test_')),
  ];
}

function endpointsOf(
  app: App,
  { account_id, endpoint_id, endpoint_at }: { account_id: string; endpoint_id: string; endpoint_at: Date },
  history: History,
  since: Date,
) {
  const attempts = history.webhook_attempts as { attempted_at: Date }[];
  const last = new Date(Math.max(...attempts.map(({ attempted_at }) => attempted_at.getTime())));
  const events = {
    send_on_sent: true,
    send_on_delivered: true,
    send_on_failed: true,
    send_on_verified: true,
    send_on_expired: true,
    send_on_step: false,
  };
  const sealed = (id: string) => bytea(sealSecret(app, id, generateSecret(app)));
  const retired_at = new Date(since.getTime() + 20 * 60_000);
  const retired_id = idAt(retired_at);
  return [
    {
      id: endpoint_id,
      account_id,
      name: 'Local development',
      url: 'http://localhost:4000/webhooks/otp',
      secret: sealed(endpoint_id),
      is_active: true,
      disabled_reason: null,
      ...events,
      total_sent: attempts.length,
      consecutive_failures: 0,
      last_sent_at: last,
      last_success_at: last,
      created_at: endpoint_at,
    },
    {
      id: retired_id,
      account_id,
      name: 'Old backend',
      url: 'http://localhost:4001/hooks',
      secret: sealed(retired_id),
      is_active: false,
      disabled_reason: 'gone',
      ...events,
      send_on_sent: false,
      send_on_delivered: false,
      // Its attempts are older than those that are stored.
      total_sent: 12,
      consecutive_failures: 1,
      last_sent_at: new Date(retired_at.getTime() + 5 * DAY_MS),
      last_success_at: new Date(retired_at.getTime() + 4 * DAY_MS),
      created_at: retired_at,
    },
  ];
}

/** Makes two sends through the API. A worker delivers them to the sandbox inbox. */
async function sendNow(app: App, key: { account_id: string; api_key_id: string }): Promise<void> {
  for (const [channel, recipient] of [
    ['sms', '+14155550177'],
    ['email', 'nora.77@example.com'],
  ] as const) {
    // Seeding must never message real recipients.
    if (!app.carriers.isSimulated(channel)) continue;
    app.activity.count('send');
    const isSms = channel === 'sms';
    const segments = isSms ? 1 : null;
    const sent = { ...key, channel, recipient, segments, cost_credits: 1, is_test: false };
    const destination = (isSms && destinationOf(recipient, '192.0.2.252')) || null;
    const client_ip = destination?.address ?? undefined;
    await sendInBatch(app, {
      ...sent,
      row: { ...sent, country: isSms ? 'US' : null, client_ip, own_code: false },
      id: app.random.uuid(),
      log_id: app.random.uuid(),
      recipient_hash: recipientHash(app, recipient),
      expires_in: EXPIRY_SECONDS,
      code_length: 6,
      ip_address: SERVER_ADDRESS,
      started_ms: app.clock.now().getTime(),
      opt_out: null,
      suppression: null,
      destination,
      idempotency: null,
      account_limits: null,
      own_code: null,
    });
  }
  await app.batches.idle();
}
