/**
 * An account's audit log: who did what, when and from where, with the values before and after. The database rejects changes to
 * entries. Entries are deleted after 400 days, or with the account.
 */

import { AUDIT_DAYS, type AuditAction, type AuditActor } from '@sixdigit/contract/audit.ts';
import type { FastifyRequest } from 'fastify';
import type { RetentionRules } from '../platform/db/retention.ts';
import type { Tx } from '../platform/db/sql.ts';
import { originOf } from '../platform/http/client-address.ts';
import {
  isKeyCaller,
  type KeyCaller,
  type Origin,
  type PersonCaller,
  requireLiveKey,
  type UserCaller,
} from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import {
  type EntryValues,
  insertEntry,
  insertEntryOfPerson,
  removeOldEntries,
  type Values,
  withoutSecrets,
} from './queries.ts';

export { createFailedSignIns, type FailedAction, type FailedSignIns } from './failed-sign-ins.ts';
export { entriesOf, entryOf } from './list.ts';
export { changesBetween, eraseAuditEntries } from './queries.ts';

export interface AuditRecord extends Entry {
  account_id: string;
  /** who did it, with the actor `owner` */
  person_id?: string | undefined;
}

interface Entry {
  /** `operator` and `system` need no origin. The account is not shown which operator acted. */
  actor: AuditActor;
  origin?: Origin | undefined;
  action: AuditAction;
  /** what was changed, in readable form, such as a key's name */
  subject?: string;
  before?: Values | undefined;
  after?: Values | undefined;
}

/** An entry about a person rather than an account, such as a sign-in. */
export interface PersonRecord extends Entry {
  person_id: string;
}

/** The account, actor, person and origin of an entry for an action by a member of the account. */
export const byOwner = (
  caller: Pick<UserCaller, 'account_id' | 'person_id' | keyof Origin>,
): Pick<AuditRecord, 'account_id' | 'person_id' | 'actor' | 'origin'> => ({
  account_id: caller.account_id,
  ...byPerson(caller),
});

/** Like `byOwner`, for a call that a key with its scope may make too. */
export const byMemberOrKey = (
  caller: UserCaller | KeyCaller,
  request: FastifyRequest,
): Pick<AuditRecord, 'account_id' | 'person_id' | 'actor' | 'origin'> =>
  isKeyCaller(caller)
    ? { account_id: caller.account_id, actor: 'key', origin: originOf(request) }
    : byOwner(caller);

/** Writes an entry of a change. */
export type Log = (entry: Pick<AuditRecord, 'action' | 'subject' | 'before' | 'after'>) => Promise<void>;

/**
 * Runs a change by a member or a live key with its entries in one transaction. Throws the refusal of a test key, which names what
 * would be `changed`.
 */
export function loggedChange<T>(
  app: Parameters<typeof record>[1] & Needs<'db'>,
  { caller, request, changed }: { caller: UserCaller | KeyCaller; request: FastifyRequest; changed: string },
  work: (tx: Tx, log: Log) => Promise<T>,
): Promise<T> {
  requireLiveKey(caller, changed);
  const by = byMemberOrKey(caller, request);
  return app.db.transaction((tx) => work(tx, (entry) => record(tx, app, { ...by, ...entry })));
}

/** The person, actor and origin of an entry for an action by the signed-in person. */
export const byPerson = (
  caller: Pick<PersonCaller, 'person_id' | keyof Origin>,
): Pick<PersonRecord, 'person_id' | 'actor' | 'origin'> => ({
  person_id: caller.person_id,
  actor: 'owner',
  origin: caller,
});

const SUBJECT_MOST = 300;

/** Adds an entry in the transaction that makes the change. Fields whose names suggest a secret are omitted. */
export async function record(
  tx: Tx,
  app: Needs<'random'>,
  { account_id, person_id, ...entry }: AuditRecord,
): Promise<void> {
  const written = { id: app.random.uuid(), account_id, person_id: person_id ?? null };
  await insertEntry(tx, { ...written, ...valuesOf(entry) });
}

/** Adds an entry to each account of the person. */
export async function recordOfPerson(
  tx: Tx,
  app: Needs<'random'>,
  { person_id, ...entry }: PersonRecord,
): Promise<void> {
  await insertEntryOfPerson(tx, { id: app.random.uuid(), person_id, ...valuesOf(entry) });
}

const valuesOf = ({ actor, action, subject = '', before, after, origin }: Entry): EntryValues => ({
  actor,
  action,
  subject: subject.slice(0, SUBJECT_MOST),
  before: withoutSecrets(before),
  after: withoutSecrets(after),
  ip_address: actor === 'operator' ? null : (origin?.ip_address ?? null),
  user_agent: actor === 'operator' ? null : (origin?.user_agent ?? null),
});

const BATCH_SIZE = 2_000;

export const auditRetention: RetentionRules = {
  rows: [
    {
      table: 'audit_entries',
      run: (tx) => removeOldEntries(tx, { days: AUDIT_DAYS, most: BATCH_SIZE }),
      batch: BATCH_SIZE,
    },
  ],
};
