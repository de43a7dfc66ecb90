import { expect, test } from 'vitest';
import { moduleOf, SRC, serverFiles } from './modules.ts';
import { codeOf, filesBelow, read } from './source.ts';

/** The module whose SQL names each table. Database functions may name any table. */
const OWNED: Record<string, readonly string[]> = {
  platform: [
    'job_failures',
    'workers',
    'server_key_holders',
    'service_facts',
    'schema_migrations',
    'schema_functions',
    'counted_days',
    'daily_counts',
    'account_rates',
  ],
  accounts: [
    'accounts',
    'account_devices',
    'account_networks',
    'challenges',
    'code_entries',
    'invitations',
    'memberships',
    'own_sms',
    'people',
    'reset_links',
    'sessions',
    'throttles',
    'welcome_numbers',
  ],
  'accounts/sso': [
    'account_sso',
    'former_member_hashes',
    'former_members',
    'identities',
    'sso_links',
    'sso_logins',
  ],
  audit: ['audit_entries'],
  templates: ['templates'],
  'messaging/suppressions': ['suppressions'],
  'api-keys': ['api_keys', 'key_rates', 'key_rules', 'key_spending'],
  compat: ['twilio_attempts', 'twilio_services', 'twilio_verifications'],
  connections: ['connections'],
  limits: ['twilio_bucket_counts', 'twilio_buckets', 'twilio_rate_limits', 'twilio_safe_list_changes'],
  lookups: ['lookup_answers', 'lookup_counts', 'lookup_setups'],
  credits: ['balances', 'ledger'],
  'otp/idempotency': ['idempotency_keys'],
  insights: ['insight_deltas', 'insight_sums'],
  'protection/message-links': ['message_domains'],
  'messaging/carriers': ['carrier_tests', 'stored_carriers'],
  'messaging/notices': ['notice_log', 'notices'],
  'messaging/opt-outs': ['opt_outs'],
  'settings/live-settings': ['setting_changes'],
  operator: [
    'activity_minutes',
    'announcements',
    'carrier_costs',
    'carrier_errors',
    'database_sizes',
    'open_breakers',
    'operator_actions',
    'operator_keys',
    'operator_searches',
    'operators',
    'recipient_erasures',
  ],
  otp: [
    'plans',
    'account_plans',
    'deliveries',
    'feedback',
    'recipients',
    'prefix_costs',
    'recipient_sends',
    'status_history',
    'unreachable_recipients',
    'used_proofs',
    'verifications',
  ],
  payments: [
    'auto_purchases',
    'disputes',
    'low_balance_notices',
    'order_reversals',
    'orders',
    'payment_customers',
    'payment_events',
    'sandbox_cards',
    'sandbox_intents',
    'sandbox_refunds',
    'transaction_counts',
    'unmatched_payments',
  ],
  protection: [
    'blocked_prefixes',
    'known_recipients',
    'protection_blocks',
    'protection_counts',
    'protection_decisions',
    'protection_deltas',
    'protection_mails',
    'protection_settings',
  ],
  'request-logs': ['request_logs'],
  'accounts/second-factors': ['authenticators', 'passkey_challenges', 'passkeys', 'recovery_codes'],
  'messaging/sandbox': ['sandbox_messages'],
  'credits/spend': ['spend_notices'],
  'otp/test-mode': ['test_messages'],
  webhooks: [
    'webhook_attempts',
    'webhook_deliveries',
    'webhook_endpoints',
    'webhook_messages',
    'webhook_rates',
  ],
};

/** Files and folders that may read tables of other modules. Only `commands/seed` may also write them. */
const READERS: readonly { file: string; tables: readonly string[]; because: string }[] = [
  {
    file: 'otp/list/queries.ts',
    tables: ['api_keys'],
    because: 'the list of verifications shows and sorts by the name of the key',
  },
  {
    file: 'request-logs/queries.ts',
    tables: ['api_keys', 'verifications'],
    because: 'the list of requests shows and sorts by the key and the status of the verification',
  },
  {
    file: 'payments/history.ts',
    tables: ['ledger'],
    because: 'the payment history is one list of entries and unpaid orders',
  },
  {
    file: 'payments/history.ts',
    tables: ['ledger'],
    because: 'it counts this list',
  },
  {
    file: 'payments/history.ts',
    tables: ['ledger'],
    because: 'it names the rows of this list',
  },
  {
    file: 'payments/auto-purchase.ts',
    tables: ['accounts', 'balances'],
    because: 'it finds the few accounts below their threshold among all',
  },
  {
    file: 'payments/auto-purchase-state.ts',
    tables: ['accounts'],
    because: 'it reads the settings and the state of auto-purchase in one snapshot',
  },
  {
    file: 'payments/customers.ts',
    tables: ['accounts'],
    because: 'it finds the customers of deleted accounts',
  },
  {
    file: 'payments/orders.ts',
    tables: ['accounts'],
    because: 'one statement restores an order only while its account exists',
  },
  {
    file: 'api-keys/queries.ts',
    tables: ['memberships', 'people'],
    because: 'the list shows who made a key, and whether they are still a member; accounts imports api-keys',
  },
  {
    file: 'audit/',
    tables: ['memberships', 'people'],
    because:
      'an entry about a person is written to each of their accounts, and read with their address; accounts imports audit',
  },
  {
    file: 'api-keys/queries.ts',
    tables: ['accounts'],
    because: 'it locks the row of the account, so that concurrent requests cannot exceed the number of keys',
  },
  {
    file: 'protection/message-links/queries.ts',
    tables: ['accounts'],
    because:
      'it locks the row of the account, so that concurrent requests cannot exceed the number of domains',
  },
  {
    file: 'otp/verify/rows.ts',
    tables: ['request_logs'],
    because: 'a repeated batch finds its log rows, which its own statement wrote',
  },
  {
    file: 'messaging/notices/queries.ts',
    tables: ['accounts', 'memberships', 'people'],
    because:
      'it reads who gets the notice, and for which account, in the transaction that writes it; accounts imports notices',
  },
  {
    file: 'accounts/all-accounts.ts',
    tables: ['balances'],
    because: 'the operators’ list sorts all accounts by their balance',
  },
  {
    file: 'payments/all-orders.ts',
    tables: ['accounts'],
    because: 'the operators’ list of purchases is searched by what accounts are searched by',
  },
  {
    file: 'operator/payments/accounting.ts',
    tables: ['accounts', 'disputes', 'ledger', 'order_reversals', 'orders', 'unmatched_payments'],
    because: 'the accounting export is one list of payments and adjustments in the order of time',
  },
  {
    file: 'operator/',
    tables: ['accounts', 'memberships', 'people'],
    because: 'the operators and the audit are read with the addresses of people',
  },
  {
    file: 'credits/spend/jobs.ts',
    tables: ['api_keys', 'balances', 'key_spending'],
    because: 'it finds the few accounts and keys that have reached a share of their limit among all',
  },
  {
    file: 'compat/twilio/attempt-queries.ts',
    tables: ['verifications'],
    because: 'the list of attempts is filtered by the state and the recipient of each send',
  },
  {
    file: 'otp/test-mode/queries.ts',
    tables: ['accounts', 'deliveries', 'plans', 'verifications'],
    because:
      'the test inbox shows the messages of test verifications, and the carrier finds the account of a message',
  },
];
const SEED = 'operations/commands/seed/';

const ownerOf = new Map(
  Object.entries(OWNED).flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const)),
);

interface Use {
  file: string;
  table: string;
  isWrite: boolean;
}

const STATEMENT =
  /\b(insert into|update|delete from|truncate|from|join|using|lock table|drop table|alter table)\s+(?:only\s+)?(\w+)/gi;
/** Tables named as values, for SQL that a function builds. */
const VALUE = /\btable: '(\w+)'/g;

const usesIn = (file: string): Use[] => {
  const code = codeOf(file);
  const inStatements = [...code.matchAll(STATEMENT)].map(([, verb = '', table = '']) => ({
    table,
    isWrite: !/^(from|join|using)$/i.test(verb),
  }));
  const inValues = [...code.matchAll(VALUE)].map(([, table = '']) => ({ table, isWrite: true }));
  return [...inStatements, ...inValues]
    .filter(({ table }) => ownerOf.has(table))
    .map((use) => ({ file: file.slice(SRC.length), ...use }));
};

const uses = serverFiles.flatMap(usesIn);
const isForeign = ({ file, table }: Use): boolean => ownerOf.get(table) !== moduleOf(`${SRC}${file}`);
/** Whether a file is, or lies in, the listed file or folder. */
const isIn = (listed: string, file: string): boolean =>
  listed.endsWith('/') ? file.startsWith(listed) : file === listed;
const readerOf = ({ file, table }: Use) =>
  READERS.find((reader) => isIn(reader.file, file) && reader.tables.includes(table));

test('a table is named only in the SQL of the module that owns it', () => {
  const wrong = uses
    .filter(isForeign)
    .filter((use) => !use.file.startsWith(SEED) && (use.isWrite || !readerOf(use)))
    .map(
      ({ file, table, isWrite }) =>
        `${SRC}${file} ${isWrite ? 'writes' : 'reads'} ${table}, a table of ${ownerOf.get(table)}: import a function of ${ownerOf.get(table)} instead`,
    );
  expect([...new Set(wrong)]).toEqual([]);
});

test('every exception from table ownership is in use', () => {
  const unused = READERS.flatMap(({ file, tables }) =>
    tables
      .filter((table) => !uses.some((use) => isIn(file, use.file) && use.table === table))
      .map((table) => `${file} no longer reads ${table}`),
  );
  expect(unused).toEqual([]);
});

test('every table has one owner', () => {
  const created = [...filesBelow('server', /\.sql$/), `${SRC}platform/db/migrate.ts`].flatMap((file) =>
    [
      ...read(file).matchAll(
        /create (?:unlogged )?table (?:if not exists )?(?:public\.)?(\w+)\b(?! partition)/gi,
      ),
    ].map(([, table = '']) => table),
  );
  const named = [...new Set(created)].filter((table) => !/_other$|_\d{4}_\d{2}$/.test(table));
  expect(named.filter((table) => !ownerOf.has(table)).map((table) => `${table} has no owner`)).toEqual([]);
  const all = Object.values(OWNED).flat();
  expect(all.filter((table, n) => all.indexOf(table) !== n)).toEqual([]);
});
