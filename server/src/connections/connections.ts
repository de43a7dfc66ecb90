/**
 * Connections: addresses at which other systems ask for a message with a code that they made and verify. A connection owns a key
 * whose text nobody knows. Limits, logs and lists apply to that key, and its name is that of the connection.
 */

import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Connection, SystemName } from '@sixdigit/contract/connection-list.ts';
import {
  type createConnection,
  type NewConnection,
  OVERLAP_HOURS,
  type updateConnection,
} from '@sixdigit/contract/connections.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import {
  changeConnectionKey,
  connectionKeysOf,
  createConnectionKey,
  deleteConnectionKey,
  findConnectionKey,
  lockConnectionKey,
  noteMaker,
  requireKeyRole,
} from '../api-keys/api-keys.ts';
import { byOwner, changesBetween, record } from '../audit/audit.ts';
import { apiBase } from '../platform/config.ts';
import type { Queryable, Sql } from '../platform/db/sql.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import {
  type LocksMembers,
  requireStepUp,
  requireStepUpToChange,
  type UserCaller,
} from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { requireListedTemplates } from '../protection/message-links/message-links.ts';
import {
  type ConnectionId,
  type ConnectionRow,
  deleteConnectionRow,
  findConnection,
  type InboundRow,
  insertConnection,
  replaceConnectionSecret,
  selectConnections,
  updateConnectionTexts,
} from './queries.ts';
import { pathTo } from './system.ts';
import { SYSTEM } from './systems/systems.ts';

export { deleteConnectionsOf } from './queries.ts';

type App = Needs<'config' | 'db' | 'random' | 'vault'>;

const contextOf = (id: string): string => `connection ${id}`;

/** A new secret of a connection, which cannot be read again. */
export const newSealedSecret = (
  app: Needs<'random' | 'vault'>,
  { id, system }: { id: string; system: SystemName },
): Buffer => app.vault.seal(SYSTEM[system].newSecret(app), contextOf(id));

/** The valid secrets, the current one first. */
export const secretsOf = (
  { vault }: Needs<'vault'>,
  { id, secret, previous_secret }: Pick<InboundRow, 'id' | 'secret' | 'previous_secret'>,
): string[] =>
  [secret, previous_secret].flatMap((sealed) => (sealed ? [vault.open(sealed, contextOf(id))] : []));

export const urlOf = (
  { config }: Needs<'config'>,
  { id, system }: { id: string; system: SystemName },
  kind: Channel,
): string => `${apiBase(config)}${pathTo(SYSTEM[system], id, kind)}`;

function shown(app: Needs<'config'>, row: ConnectionRow, key: ApiKey): Connection {
  const { name, mode, expires_at, allowed_networks, daily_credit_limit, spent_today, last_used_at } = key;
  const endpoints = SYSTEM[row.system].kinds.map((kind) => ({ kind, url: urlOf(app, row, kind) }));
  return {
    ...row,
    endpoints,
    name,
    mode,
    expires_at,
    allowed_networks,
    daily_credit_limit,
    spent_today,
    last_used_at,
  };
}

const withSecret = (app: Needs<'config'>, connection: Connection, secret: string): NewConnection => ({
  ...connection,
  secret,
  settings: SYSTEM[connection.system].settings({
    connection_id: connection.id,
    secret,
    urlOf: (kind) => urlOf(app, connection, kind),
  }),
});

async function found(app: Needs<'config'>, sql: Queryable, its: ConnectionId): Promise<Connection> {
  const row = await findConnection(sql, its);
  const key = row && (await findConnectionKey(sql, { account_id: its.account_id, id: row.api_key_id }));
  if (!row || !key) throw new Failure('not_found');
  return shown(app, row, key);
}

/** Throws `not_found` if the connection does not exist or belongs to another account. */
export const connectionOf = (app: App, account_id: string, id: string): Promise<Connection> => {
  if (!isUuid(id)) throw new Failure('not_found');
  return found(app, app.db, { account_id, id });
};

export async function connectionsOf(
  app: Needs<'config'>,
  sql: Sql,
  account_id: string,
): Promise<{ results: Connection[]; count: number }> {
  const rows = await selectConnections(sql, account_id);
  const keys = new Map((await connectionKeysOf(sql, account_id)).map((key) => [key.id, key]));
  const results = rows.flatMap((row) => {
    const key = keys.get(row.api_key_id);
    return key ? [shown(app, row, key)] : [];
  });
  return { results, count: results.length };
}

const RECORDED = [
  'name',
  'system',
  'mode',
  'message',
  'language',
  'code_pattern',
  'code_expires_in',
  'expires_at',
  'allowed_networks',
  'daily_credit_limit',
] as const satisfies readonly (keyof Connection)[];

const valuesOf = (connection: Connection) =>
  Object.fromEntries(RECORDED.map((field) => [field, connection[field]]));

/** The only response, with that of a rotation, that contains the secret. */
export async function connect(
  app: App & Needs<'wakeups'> & LocksMembers,
  caller: UserCaller,
  {
    system,
    name,
    mode = 'live',
    message = null,
    language = null,
    code_pattern = null,
    code_expires_in = null,
    ...settings
  }: Parsed<typeof createConnection, 'body'>,
): Promise<NewConnection> {
  const its = { account_id: caller.account_id, id: app.random.uuid() };
  await requireListedTemplates(app, its.account_id, { message });
  const secret = SYSTEM[system].newSecret(app);
  const made = await app.db.transaction(async (tx) => {
    const { role } = await app.lockMembers(tx, caller, 'developer');
    await requireKeyRole(tx, { ...caller, role }, mode);
    const { key, hash } = await createConnectionKey(app, tx, {
      created_by: caller.person_id,
      account_id: its.account_id,
      name,
      mode,
      ...settings,
    });
    const sealed = app.vault.seal(secret, contextOf(its.id));
    await insertConnection(tx, {
      ...its,
      api_key_id: key.id,
      key_hash: hash,
      system,
      message,
      language,
      code_pattern,
      code_expires_in,
      secret: sealed,
    });
    const connection = await found(app, tx, its);
    const after = valuesOf(connection);
    await record(tx, app, { ...byOwner(caller), action: 'connection.create', subject: name, after });
    return connection;
  });
  app.wakeups.notify('notices');
  return withSecret(app, made, secret);
}

/** Throws `not_found` if the connection does not exist or belongs to another account. */
export async function changeConnection(
  app: App,
  caller: UserCaller,
  id: string,
  {
    message,
    language,
    code_pattern,
    code_expires_in,
    secret: given,
    ...settings
  }: Parsed<typeof updateConnection, 'body'>,
): Promise<Connection> {
  if (given !== undefined) requireStepUp(caller);
  const { account_id, api_key_id, system } = await ownOf(app, caller, id);
  const secret = given === undefined ? undefined : readSecret(system, given);
  const its = { account_id, id };
  await requireListedTemplates(app, account_id, { message });
  return app.db.transaction(async (tx) => {
    const key = await changeConnectionKey(tx, caller, { account_id, id: api_key_id }, settings);
    const row = await findConnection(tx, its);
    if (!row) throw new Failure('not_found');
    await updateConnectionTexts(tx, its, { message, language, code_pattern, code_expires_in });
    if (secret !== undefined) {
      await replaceConnectionSecret(tx, its, {
        secret: app.vault.seal(secret, contextOf(id)),
        hours: OVERLAP_HOURS.default,
      });
      await noteMaker(tx, { account_id, id: api_key_id }, caller);
    }
    const after = await found(app, tx, its);
    const own = { ...byOwner(caller), subject: after.name };
    const changes = changesBetween(shown(app, row, key.before), after, RECORDED);
    requireStepUpToChange(caller, changes);
    if (changes) await record(tx, app, { ...own, action: 'connection.change', ...changes });
    if (secret !== undefined) await record(tx, app, { ...own, action: 'connection.rotate' });
    return after;
  });
}

/** The secret in an entered text. Throws a field error. */
function readSecret(system: SystemName, given: string): string {
  const read = SYSTEM[system].readSecret(given);
  if ('problem' in read) throw new FieldErrors({ secret: [`Secret ${read.problem}.`] });
  return read.secret;
}

async function ownOf(
  { db }: Needs<'db'>,
  { account_id }: UserCaller,
  id: string,
): Promise<ConnectionRow & { account_id: string }> {
  const row = isUuid(id) ? await findConnection(db, { account_id, id }) : undefined;
  if (!row) throw new Failure('not_found');
  return { ...row, account_id };
}

/** Throws `not_found` if the connection does not exist or belongs to another account. */
export async function rotateConnectionSecret(
  app: App & LocksMembers,
  caller: UserCaller,
  id: string,
  hours: number = OVERLAP_HOURS.default,
): Promise<NewConnection> {
  const { account_id, api_key_id, system } = await ownOf(app, caller, id);
  const its = { account_id, id };
  const secret = SYSTEM[system].newSecret(app);
  const sealed = app.vault.seal(secret, contextOf(id));
  const connection = await app.db.transaction(async (tx) => {
    // The caller may have been removed since the request began.
    const { role } = await app.lockMembers(tx, caller, 'developer');
    const key = await lockConnectionKey(tx, { account_id, id: api_key_id });
    await requireKeyRole(tx, { ...caller, role }, key.mode);
    await replaceConnectionSecret(tx, its, { secret: sealed, hours });
    await noteMaker(tx, { account_id, id: api_key_id }, caller);
    const after = await found(app, tx, its);
    await record(tx, app, {
      ...byOwner(caller),
      action: 'connection.rotate',
      subject: after.name,
      after: { old_ends_in_hours: hours },
    });
    return after;
  });
  return withSecret(app, connection, secret);
}

/** Throws `not_found` if the connection does not exist or belongs to another account. */
export async function disconnect(app: App, caller: UserCaller, id: string): Promise<void> {
  const { account_id, api_key_id } = await ownOf(app, caller, id);
  const its = { account_id, id };
  await app.db.transaction(async (tx) => {
    const key = { account_id, id: api_key_id };
    await lockConnectionKey(tx, key);
    const before = await found(app, tx, its);
    await deleteConnectionRow(tx, its);
    await deleteConnectionKey(tx, key);
    await record(tx, app, {
      ...byOwner(caller),
      action: 'connection.delete',
      subject: before.name,
      before: valuesOf(before),
    });
  });
}
