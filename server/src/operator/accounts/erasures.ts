import type {
  eraseAccount,
  eraseRecipient,
  listRecipientErasures,
  RecipientErasure,
} from '@sixdigit/contract/operator/erasures.ts';
import * as contract from '@sixdigit/contract/operator/erasures.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { countPeopleWith, emailsOfPeople } from '../../accounts/accounts.ts';
import {
  type Erased,
  eraseAccount as erase,
  formsOf,
  NOTHING_ERASED,
  redactText,
  stepsOf,
  sumOf,
} from '../../deletion/deletion.ts';
import { keptDays } from '../../platform/db/kept-days.ts';
import { type Page, pageOf } from '../../platform/db/page.ts';
import type { RetentionRules } from '../../platform/db/retention.ts';
import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import type { Needs, Platform } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/job.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { hasOperator } from '../access/operators.ts';
import { recordAction } from '../audit.ts';
import type { Readers } from '../reading.ts';
import { accountDetail } from './accounts.ts';

export function erasureRoutes(server: Server, app: Platform, { read }: Readers): void {
  serve(server, contract.eraseAccount, async ({ caller, params, body }) => {
    await eraseAccountOf(app, caller, params.id, body);
    return accountDetail(app, params.id);
  });
  serve(server, contract.eraseRecipient, ({ caller, body }) => requestErasure(app, caller, body));
  read(contract.listRecipientErasures, ({ db, query }) => erasuresOf(db, query));
}

/** Throws `not_found`, and a field error if the address is not the account's or if the account is an operator's. */
async function eraseAccountOf(
  app: Platform,
  by: OperatorCaller,
  id: string,
  { email, reason }: Parsed<typeof eraseAccount, 'body'>,
): Promise<void> {
  const { state, credits, debt, api_keys, webhooks, sessions } = await accountDetail(app, id);
  if (state === 'deleted') throw new FieldErrors({ email: ['This account is already deleted.'] });
  const forms = formsOf(app, email);
  await app.db.transaction(async (tx) => {
    if (await hasOperator(tx, id))
      throw new FieldErrors({ email: ['This account is an operator. Remove its role first.'] });
    if (!(await erase(tx, app, { account_id: id, actor: 'operator', email })))
      throw new FieldErrors({ email: ['This is not the email address of the account.'] });
    await recordAction(tx, app, by, {
      action: 'account.erase',
      account_id: id,
      subject: 'Account',
      // The audit is never deleted, so it must not contain the person's data.
      reason: forms ? redactText(forms, reason) : reason,
      before: {
        state,
        credits,
        debt,
        api_keys: api_keys.length,
        webhooks: webhooks.length,
        sessions: sessions.length,
      },
      after: { state: 'deleted', credits, debt, api_keys: 0, webhooks: 0, sessions: 0 },
    });
  });
  app.wakeups.notify('notices');
}

/** Erasures of recipients, requested by operators. A worker runs them step by step, because a large history takes minutes. */
type App = Needs<'db' | 'random' | 'vault' | 'config' | 'clock' | 'wakeups'>;

export const ERASURES_TOPIC = 'erasures';
const sealOf = (id: string): string => `erasure:${id}`;

/** Throws a field error for a text that is neither a phone number nor an e-mail address. */
export async function requestErasure(
  app: App,
  by: OperatorCaller,
  { recipient: text, reason }: Parsed<typeof eraseRecipient, 'body'>,
): Promise<Reply<typeof eraseRecipient>> {
  const forms = formsOf(app, text);
  if (!forms) throw new FieldErrors({ recipient: ['Please enter a phone number or an email address'] });
  const { recipient } = forms;
  const id = app.random.uuid();
  const masked = maskedRecipient(recipient);
  const { retentionDays: retention_days } = await keptDays(app.db, app.config);
  const { length: steps } = stepsOf(app.clock.now(), retention_days);
  const sealed = app.vault.seal(recipient, sealOf(id));
  const created_at = await app.db.transaction(async (tx) => {
    const row = { id, masked, retention_days, steps, sealed };
    const inserted = await insertErasure(tx, { ...row, requested_by: by.person_id, key_id: by.key_id });
    await recordAction(tx, app, by, {
      action: 'recipient.erase',
      subject: masked,
      // The audit is never deleted, so it must not contain the person's data.
      reason: redactText(forms, reason),
      before: { state: 'stored' },
      after: { state: 'erasing' },
    });
    return inserted.created_at;
  });
  app.wakeups.notify(ERASURES_TOPIC);
  return {
    id,
    created_at,
    requested_by: by.email,
    recipient: masked,
    steps,
    steps_done: 0,
    ended_at: null,
    erased: {},
    accounts: await countPeopleWith(app.db, recipient),
  };
}

export async function erasuresOf(
  sql: Queryable,
  query: Parsed<typeof listRecipientErasures, 'query'>,
): Promise<{ results: RecipientErasure[]; count: number }> {
  const rows = await selectErasures(sql, pageOf(query));
  const emails = await emailsOfPeople(
    sql,
    rows.map(({ requested_by }) => requested_by),
  );
  return {
    results: rows.map((row) => ({ ...row, requested_by: emails.get(row.requested_by) ?? null })),
    count: await countErasures(sql),
  };
}

/** Runs the next step of the oldest erasure that no other worker is running. Returns false if there is none. */
export async function runNextErasure(app: App): Promise<boolean> {
  const lease = app.random.uuid();
  const running = await claimErasure(app.db, lease);
  if (!running) return false;
  const { id, sealed, created_at, retention_days, steps_done } = running;
  const forms = formsOf(app, app.vault.open(sealed, sealOf(id)));
  const steps = stepsOf(new Date(created_at), retention_days);
  const step = steps[steps_done];
  const erased = forms && step ? sumOf(running.erased, await step(app.db, forms)) : running.erased;
  if (steps_done + 1 < steps.length) await storeStep(app.db, { ...running, lease, erased });
  else await end(app, { ...running, lease, erased });
  return true;
}

/** Ends the erasure and records its result in the audit, in one transaction. */
async function end(app: App, running: RunningErasure & { lease: string }): Promise<void> {
  const erased = { ...NOTHING_ERASED, ...running.erased };
  const { requested_by, operator_key_id } = running;
  await app.db.transaction(async (tx) => {
    if (!(await endErasure(tx, { ...running, erased }))) return;
    const by = { person_id: requested_by, key_id: operator_key_id, ip_address: null, user_agent: null };
    await recordAction(tx, app, by, {
      action: 'recipient.erased',
      subject: running.masked,
      before: { state: 'erasing' },
      after: { state: 'erased', ...erased },
    });
  });
}

interface NewErasure {
  id: string;
  requested_by: string;
  key_id: string | null;
  masked: string;
  sealed: Buffer;
  retention_days: number;
  steps: number;
}

const insertErasure = (tx: Tx, erasure: NewErasure): Promise<{ created_at: string }> =>
  tx.one(
    `insert into recipient_erasures (id, created_at, requested_by, operator_key_id, masked, sealed, retention_days, steps)
     values ($1, clock_now(), $2, $3, $4, $5, $6, $7) returning created_at`,
    [
      erasure.id,
      erasure.requested_by,
      erasure.key_id,
      erasure.masked,
      erasure.sealed,
      erasure.retention_days,
      erasure.steps,
    ],
  );

interface RunningErasure {
  id: string;
  created_at: string;
  requested_by: string;
  operator_key_id: string | null;
  masked: string;
  sealed: Buffer;
  retention_days: number;
  steps_done: number;
  erased: Partial<Erased>;
}

/** Longer than any step takes. When a worker dies, another worker continues its erasure after this time. */
const LEASE = "interval '10 minutes'";

const claimErasure = (sql: Sql, lease: string): Promise<RunningErasure | undefined> =>
  sql.maybe<RunningErasure>(
    `update recipient_erasures set lease = $1, leased_until = clock_now() + ${LEASE}
     where id = (
       select id from recipient_erasures
       where ended_at is null and (leased_until is null or leased_until <= clock_now())
       order by id limit 1 for update skip locked)
     returning id, created_at, requested_by, operator_key_id, masked, sealed, retention_days, steps_done, erased`,
    [lease],
  );

interface Done {
  id: string;
  lease: string;
  steps_done: number;
  erased: Partial<Erased>;
}

/** Ends the lease. Changes nothing if another worker has taken it over. */
const storeStep = (sql: Sql, { id, lease, steps_done, erased }: Done): Promise<number> =>
  sql.run(
    `update recipient_erasures set steps_done = $3, erased = $4, lease = null, leased_until = null
     where id = $1 and lease = $2`,
    [id, lease, steps_done + 1, JSON.stringify(erased)],
  );

/** Deletes the sealed recipient. Returns false if another worker has taken the lease over. */
const endErasure = async (tx: Tx, { id, lease, steps_done, erased }: Done): Promise<boolean> =>
  (await tx.run(
    `update recipient_erasures set steps_done = $3, erased = $4, lease = null, leased_until = null, sealed = null,
       ended_at = clock_now()
     where id = $1 and lease = $2`,
    [id, lease, steps_done + 1, JSON.stringify(erased)],
  )) === 1;

const selectErasures = (sql: Queryable, { limit, offset }: Page) =>
  sql.rows<{
    id: string;
    created_at: string;
    requested_by: string;
    recipient: string;
    steps: number;
    steps_done: number;
    ended_at: string | null;
    erased: Record<string, number>;
  }>(
    `select id, created_at, requested_by, masked as recipient, steps, steps_done, ended_at, erased
     from recipient_erasures order by id desc limit $1 offset $2`,
    [limit, offset],
  );

const countErasures = async (sql: Queryable): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from recipient_erasures')).n;

const deleteOldErasures = (tx: Tx): Promise<number> =>
  tx.run(`delete from recipient_erasures where ended_at < clock_now() - interval '400 days'`);

export const operatorRetention: RetentionRules = {
  rows: [{ table: 'recipient_erasures', run: deleteOldErasures }],
};

export const operatorJobs = (app: App): Job[] => [
  { name: 'recipient-erasures', topic: ERASURES_TOPIC, everyMs: 5_000, run: () => runNextErasure(app) },
];
