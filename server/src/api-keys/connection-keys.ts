import type { ApiKey, KeyMode, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { CONNECTIONS_MAX } from '@sixdigit/contract/connections.ts';
import type { ApiScope, Parsed } from '@sixdigit/contract/route.ts';
import { lockBalance } from '../credits/credits.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import { pageUrl } from '../platform/config.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { isSameTime, requireFuture } from './expiry.ts';
import { hashOfKey } from './key.ts';
import { requireKeyRole } from './key-rules.ts';
import {
  countForLimits,
  findKey,
  insertKey,
  type KeyId,
  lockKey,
  lockKeysOf,
  markKeyDeleted,
  removeKeyLimit,
  setKeyLimit,
  updateSettings,
} from './queries.ts';

/** The settings of a connection that its key has. */
type Settings = Pick<
  Parsed<typeof updateApiKey, 'body'>,
  'name' | 'expires_at' | 'allowed_networks' | 'daily_credit_limit'
>;
type NewKey = { account_id: string; created_by: string; name: string; mode: KeyMode } & Omit<
  Settings,
  'name'
>;

export const CONNECTION_SCOPES: ApiScope[] = ['otp:send', 'otp:own_code'];
/** Deleted keys keep their rows, so the number of keys created per day is limited too. */
const CREATED_A_DAY = 300;
const MAILS_A_DAY = 10;

/** Creates the key of a connection from random bytes, which are not kept. Returns its hash. */
export async function createConnectionKey(
  app: Needs<'config' | 'random' | 'vault'>,
  tx: Tx,
  { account_id, created_by, name, mode, daily_credit_limit, ...settings }: NewKey,
): Promise<{ key: KeyId; hash: Buffer }> {
  await lockKeysOf(tx, account_id);
  const { live, today } = await countForLimits(tx, account_id, 'connection');
  if (live >= CONNECTIONS_MAX) throw new Failure('connection_limit_reached');
  if (today >= CREATED_A_DAY) throw new Failure('too_many_requests', { retry_after: 3_600 });
  await requireFuture(tx, settings.expires_at);
  const hash = hashOfKey(app.random.bytes(32).toString('hex'));
  const key = { account_id, id: app.random.uuid() };
  await insertKey(tx, { ...key, name, mode, prefix: '', hash, kind: 'connection', created_by });
  await updateSettings(tx, key, { ...settings, scopes: CONNECTION_SCOPES });
  if (daily_credit_limit) await setKeyLimit(tx, key, daily_credit_limit);
  if (today < MAILS_A_DAY)
    await notifyAccount(tx, app, account_id, {
      kind: 'newApiKey',
      name,
      isTest: mode === 'test',
      isConnection: true,
      activityUrl: pageUrl(app, '/settings/activity'),
    });
  return { key, hash };
}

export const findConnectionKey = (sql: Queryable, key: KeyId): Promise<ApiKey | undefined> =>
  findKey(sql, key, 'connection');

/** Throws `not_found`. Lock the balance first. */
export async function lockConnectionKey(tx: Tx, key: KeyId): Promise<ApiKey> {
  const before = (await lockKey(tx, key, 'connection')) && (await findKey(tx, key, 'connection'));
  if (!before) throw new Failure('not_found');
  return before;
}

/** Throws `not_found`, `role_too_low` and field errors. */
export async function changeConnectionKey(
  tx: Tx,
  caller: UserCaller,
  key: KeyId,
  { daily_credit_limit, ...settings }: Settings,
): Promise<{ before: ApiKey; after: ApiKey }> {
  // Sends check the limit under this lock.
  if (daily_credit_limit !== undefined) await lockBalance(tx, key.account_id);
  const before = await lockConnectionKey(tx, key);
  await requireKeyRole(tx, caller, before.mode);
  if (settings.expires_at && !isSameTime(settings.expires_at, before.expires_at))
    await requireFuture(tx, settings.expires_at);
  await updateSettings(tx, key, settings);
  if (daily_credit_limit === null) await removeKeyLimit(tx, key);
  else if (daily_credit_limit !== undefined) await setKeyLimit(tx, key, daily_credit_limit);
  return { before, after: (await findKey(tx, key, 'connection')) as ApiKey };
}

/** Returns whether the key existed. */
export const deleteConnectionKey = async (tx: Tx, key: KeyId): Promise<boolean> =>
  (await markKeyDeleted(tx, key, 'connection')) > 0;
