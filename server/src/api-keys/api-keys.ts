import {
  API_KEYS_MAX,
  type ApiKey,
  type createApiKey,
  type listApiKeys,
  type NewApiKey,
  type rotateApiKey,
  type updateApiKey,
} from '@sixdigit/contract/api-keys.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { byOwner, changesBetween, record } from '../audit/audit.ts';
import { lockBalance } from '../credits/credits.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import { pageUrl } from '../platform/config.ts';
import { containing, pageOf } from '../platform/db/page.ts';
import { likeLiteral, type Queryable, type Sql, type Tx } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import {
  type LocksMembers,
  type Origin,
  requireStepUpToChange,
  type UserCaller,
} from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { isSameTime, requireFuture } from './expiry.ts';
import { hashOfKey, newKeyText, prefixOfKey, prefixOfMode } from './key.ts';
import { requireKeyRole } from './key-rules.ts';
import {
  countForLimits,
  countKeys,
  findKey,
  insertKey,
  type KeyId,
  lockKey,
  lockKeysOf,
  markKeyDeleted,
  markKeysOfAccountDeleted,
  noteMaker,
  removeKeyLimit,
  replaceSecret,
  selectKeys,
  selectKeysNamed,
  setKeyLimit,
  updateSettings,
} from './queries.ts';

export type { ApiCaller } from './admission.ts';
export { accountsOfKey, lastUsesOf, testKeysOf } from './all-keys.ts';
export {
  callerOfKey,
  createKeyAdmission,
  createLastUse,
  type KeyAdmission,
  type LastingUse,
  laterProgramOf,
  programOf,
  type SendSettings,
  stillUsable,
  touchKeys,
} from './authenticate.ts';
export {
  CONNECTION_SCOPES,
  changeConnectionKey,
  createConnectionKey,
  deleteConnectionKey,
  findConnectionKey,
  lockConnectionKey,
} from './connection-keys.ts';
export {
  hashOfKey,
  type KeysOfMode,
  keyLooksGenuine,
  keysOfMode,
  narrowToKeys,
  newKeyText,
  prefixOfKey,
} from './key.ts';
export { changeKeyRules, requireKeyRole } from './key-rules.ts';
export {
  findKeyRules,
  noteMaker,
  selectConnectionKeys as connectionKeysOf,
  selectKeyNames as keyNames,
  selectKeysMadeBy as keysMadeBy,
} from './queries.ts';

/** Deleted keys keep their rows, so the number of keys created per day is limited too. */
const CREATED_A_DAY = 300;
/** How many new keys per day are announced by e-mail. */
const MAILS_A_DAY = 10;

/**
 * API keys. The secret is shown once and stored only as a hash. A deleted key stops working immediately; its row and name
 * remain for the history.
 */
export async function createKey(
  app: Needs<'config' | 'random' | 'vault'>,
  tx: Tx,
  { account_id, name, mode = 'live', daily_credit_limit, ...settings }: NewKey,
  /** absent for the demo account's key */
  by?: Maker,
): Promise<NewApiKey> {
  await lockKeysOf(tx, account_id);
  const { live, today } = await countForLimits(tx, account_id, 'key');
  if (live >= API_KEYS_MAX) throw new Failure('api_key_limit_reached');
  if (today >= CREATED_A_DAY) throw new Failure('too_many_requests', { retry_after: 3_600 });
  await requireFuture(tx, settings.expires_at);
  const key = newKeyText(app, prefixOfMode(mode));
  const its = { account_id, id: app.random.uuid() };
  await insertKey(tx, {
    ...its,
    name,
    mode,
    prefix: prefixOfKey(key),
    hash: hashOfKey(key),
    kind: 'key',
    created_by: by?.person_id ?? null,
  });
  await updateSettings(tx, its, settings);
  // No send can use this key before the commit, so setting its limit needs no lock.
  if (daily_credit_limit) await setKeyLimit(tx, its, daily_credit_limit);
  const made = await found(tx, its);
  const actor = by ? byOwner({ ...by, account_id }) : ({ account_id, actor: 'system' } as const);
  const after = valuesOf(made);
  await record(tx, app, { ...actor, action: 'api_key.create', subject: made.name, after });
  // Without a limit, anyone signed in to the account could flood the owner's mailbox.
  if (by && today < MAILS_A_DAY)
    await notifyAccount(tx, app, account_id, {
      kind: 'newApiKey',
      name: made.name,
      isTest: mode === 'test',
      activityUrl: pageUrl(app, '/settings/activity'),
    });
  return { ...made, key };
}

export type NewKey = { account_id: string } & Parsed<typeof createApiKey, 'body'>;

export async function listKeys(
  app: { db: Sql },
  account_id: string,
  query: Parsed<typeof listApiKeys, 'query'>,
): Promise<{ results: ApiKey[]; count: number }> {
  const name = containing(query.search);
  const [results, count] = await Promise.all([
    selectKeys(app.db, account_id, { name, ordering: query.ordering, ...pageOf(query) }),
    countKeys(app.db, account_id, name),
  ]);
  return { results, count };
}

/**
 * Keys, including deleted ones, whose names contain a text, ignoring case. Up to `IDS_MOST` keys are listed by id; beyond that,
 * the search joins with a pattern.
 */
export type KeysNamed = { ids: string[] } | { pattern: string };

/** With up to this many ids, the planner can use indexes; beyond it, the search joins the keys by pattern. */
const IDS_MOST = 100;

export async function keysNamedLike(
  { db }: Needs<'db'>,
  account_id: string,
  text: string,
): Promise<KeysNamed> {
  const pattern = `%${likeLiteral(text)}%`;
  const ids = await selectKeysNamed(db, account_id, { pattern, most: IDS_MOST + 1 });
  return ids.length <= IDS_MOST ? { ids } : { pattern };
}

/**
 * The SQL condition that selects rows with a matching key; undefined if no key matches. `add` adds a value and returns its
 * placeholder.
 */
export function isKeyNamed(
  keys: KeysNamed,
  { key, account_id, add }: { key: string; account_id: string; add: (value: unknown) => string },
): string | undefined {
  if ('pattern' in keys)
    return `${key} in (select k.id from api_keys k where k.account_id = ${account_id} and k.name ilike ${add(keys.pattern)})`;
  return keys.ids.length > 0 ? `${key} = any (${add(keys.ids)}::uuid[])` : undefined;
}

async function found(sql: Queryable, key: KeyId): Promise<ApiKey> {
  const row = await findKey(sql, key);
  if (!row) throw new Failure('not_found');
  return row;
}

/** One of the caller's keys. */
type Maker = Pick<UserCaller, 'person_id' | keyof Origin>;
type OwnKey = KeyId & Maker;

const RECORDED = [
  'name',
  'mode',
  'scopes',
  'expires_at',
  'allowed_networks',
  'daily_credit_limit',
  'require_proof',
  'note',
] as const satisfies readonly (keyof ApiKey)[];
const valuesOf = (key: ApiKey) => Object.fromEntries(RECORDED.map((field) => [field, key[field]]));

/** Throws `not_found` if the key does not exist or belongs to another account. */
export async function changeKey(
  app: Needs<'db' | 'random'>,
  caller: UserCaller,
  id: string,
  change: Parsed<typeof updateApiKey, 'body'>,
): Promise<ApiKey> {
  if (!isUuid(id)) throw new Failure('not_found');
  const key = { account_id: caller.account_id, id };
  const { daily_credit_limit, ...settings } = change;
  return app.db.transaction(async (tx) => {
    // Sends check the limit under this lock.
    if (daily_credit_limit !== undefined) await lockBalance(tx, key.account_id);
    if (!(await lockKey(tx, key))) throw new Failure('not_found');
    const before = await found(tx, key);
    await requireKeyRole(tx, caller, before.mode);
    if (settings.expires_at && !isSameTime(settings.expires_at, before.expires_at))
      await requireFuture(tx, settings.expires_at);
    await updateSettings(tx, key, settings);
    if (daily_credit_limit === null) await removeKeyLimit(tx, key);
    else if (daily_credit_limit !== undefined) await setKeyLimit(tx, key, daily_credit_limit);
    const after = await found(tx, key);
    const changes = changesBetween(before, after, RECORDED);
    requireStepUpToChange(caller, changes);
    if (changes)
      await record(tx, app, {
        ...byOwner(caller),
        action: 'api_key.change',
        subject: after.name,
        ...changes,
      });
    return after;
  });
}

/** Throws `not_found` if the key does not exist or belongs to another account. */
export async function rotateKey(
  app: Needs<'config' | 'db' | 'random'> & LocksMembers,
  key: KeyId & UserCaller,
  { valid_days }: Parsed<typeof rotateApiKey, 'body'>,
): Promise<NewApiKey> {
  if (!isUuid(key.id)) throw new Failure('not_found');
  return app.db.transaction(async (tx) => {
    // The caller may have been removed since the request began.
    const { role } = await app.lockMembers(tx, key, 'developer');
    if (!(await lockKey(tx, key))) throw new Failure('not_found');
    const before = await found(tx, key);
    await requireKeyRole(tx, { ...key, role }, before.mode);
    const secret = newKeyText(app, prefixOfMode(before.mode));
    const hash = hashOfKey(secret);
    await replaceSecret(tx, key, { hash, prefix: prefixOfKey(secret), days: valid_days });
    await noteMaker(tx, key, key);
    const after = await found(tx, key);
    await record(tx, app, {
      ...byOwner(key),
      action: 'api_key.rotate',
      subject: after.name,
      before: { prefix: before.prefix },
      after: { prefix: after.prefix, old_ends_in_days: valid_days },
    });
    return { ...after, key: secret };
  });
}

/** Throws `not_found` if the key does not exist or belongs to another account. */
export async function deleteKey(app: Needs<'db' | 'random'>, key: OwnKey): Promise<void> {
  if (!isUuid(key.id)) throw new Failure('not_found');
  await app.db.transaction(async (tx) => {
    const before = await found(tx, key);
    if ((await markKeyDeleted(tx, key)) === 0) throw new Failure('not_found');
    await record(tx, app, {
      ...byOwner(key),
      action: 'api_key.delete',
      subject: before.name,
      before: valuesOf(before),
    });
  });
}

/** Revokes all keys of an account that is being deleted, and erases their names. */
export const revokeKeysOf = (tx: Tx, account_id: string): Promise<number> =>
  markKeysOfAccountDeleted(tx, account_id);
