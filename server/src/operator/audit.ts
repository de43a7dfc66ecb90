import type { AuditAction } from '@sixdigit/contract/audit.ts';
import type { listOperatorActions, OperatorAction } from '@sixdigit/contract/operator/operator.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { record } from '../audit/audit.ts';
import { containing, orderBy, pageOf } from '../platform/db/page.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import type { OperatorCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';

/** An operator's action. `before` and `after` must not contain personal data, because the audit is never deleted. */
export interface Action {
  /** `noun.verb`, such as `account.suspend` */
  action: string;
  account_id?: string;
  /** a readable description of what was changed or read */
  subject: string;
  reason?: string;
  before?: unknown;
  after?: unknown;
}

/** An operator, and the operator key if one was used. */
export type Actor = Pick<OperatorCaller, 'person_id' | 'key_id' | 'ip_address' | 'user_agent'>;

/** The actions that the account's own audit log shows too, without the operator and the reason. */
const SHOWN_TO_ACCOUNT: Record<string, AuditAction> = {
  'account.suspend': 'account.suspend',
  'account.resume': 'account.resume',
  'account.adjust_credits': 'credits.adjust',
  'account.request_email': 'email.request',
  'account.change_email': 'email.change',
  'account.end_sessions': 'session.end_all',
  'verification.reveal': 'account.reveal',
  'request.reveal': 'account.reveal',
  'webhook_attempt.reveal': 'account.reveal',
  'activity.reveal': 'account.reveal',
  'test_message.reveal': 'account.reveal',
  'webhook.resend': 'webhook.resend',
  'verification.resend': 'verification.resend',
  'verification.resend_failed': 'verification.resend_fail',
  'payment.refund': 'purchase.refund',
  'payment.refund_failed': 'purchase.refund_fail',
};

/** Adds an entry to the audit in the transaction of the change. `by` is null for the command line. */
export async function recordAction(
  tx: Tx,
  app: Needs<'random'>,
  by: Actor | null,
  { action, account_id, subject, reason = '', before, after }: Action,
): Promise<void> {
  await tx.run(
    `insert into operator_actions (id, created_at, operator_id, operator_key_id, action, subject_account_id, subject, reason,
       before, after, ip_address, user_agent)
     values ($1, clock_now(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      app.random.uuid(),
      by?.person_id ?? null,
      by?.key_id ?? null,
      action,
      account_id ?? null,
      subject,
      reason,
      before === undefined ? null : JSON.stringify(before),
      after === undefined ? null : JSON.stringify(after),
      by?.ip_address ?? null,
      by?.user_agent ?? null,
    ],
  );
  const shown = SHOWN_TO_ACCOUNT[action];
  if (account_id === undefined || shown === undefined) return;
  await record(tx, app, {
    account_id,
    actor: 'operator',
    action: shown,
    subject,
    before: before as Record<string, unknown> | undefined,
    after: after as Record<string, unknown> | undefined,
  });
}

/**
 * Notes that an operator searches for a recipient. Returns false if the same search began in the last 15 minutes. A concurrent
 * call for the same search waits for this transaction. The fingerprints are deleted after that time, because they stand for
 * recipients.
 */
export async function beginSearch(tx: Tx, fingerprint: Buffer): Promise<boolean> {
  await tx.run(
    `delete from operator_searches where fingerprint in (
       select fingerprint from operator_searches where began_at <= clock_now() - interval '15 minutes'
       order by began_at limit 100 for update skip locked)`,
  );
  const begun = await tx.run(
    `insert into operator_searches (fingerprint, began_at) values ($1, clock_now())
     on conflict (fingerprint) do update set began_at = excluded.began_at
       where operator_searches.began_at <= excluded.began_at - interval '15 minutes'`,
    [fingerprint],
  );
  return begun > 0;
}

/** The audit entry of this refund of this purchase. */
export const findRefund = (
  tx: Tx,
  { order_id, account_id, refund_id }: { order_id: string; account_id: string; refund_id: string },
): Promise<{ before: { refunded_cents: number }; after: { refunded_cents: number } } | undefined> =>
  tx.maybe(
    `select before, after from operator_actions
     where subject_account_id = $1 and action = 'payment.refund' and subject = $2 and after->>'refund_id' = $3`,
    [account_id, `Purchase ${order_id}`, refund_id],
  );

const MATCHING = `($1::uuid is null or x.subject_account_id = $1) and ($2::text is null or x.action = $2)
  and ($3::text is null or x.action ilike $3 or x.subject ilike $3 or x.reason ilike $3 or a.email ilike $3 or c.email ilike $3)`;
const FROM = `operator_actions x left join people a on a.id = x.operator_id
  left join accounts c on c.id = x.subject_account_id`;

export async function listActions(
  sql: Queryable,
  query: Parsed<typeof listOperatorActions, 'query'>,
): Promise<{ results: OperatorAction[]; count: number }> {
  const { account_id = null, action = null } = query;
  if (account_id !== null && !isUuid(account_id)) return { results: [], count: 0 };
  const params = [account_id, action, containing(query.search)];
  const { limit, offset } = pageOf(query);
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from ${FROM} where ${MATCHING}`,
    params,
  );
  const results = await sql.rows<OperatorAction>(
    `select x.id, x.created_at, a.email as operator, k.name as operator_key, x.action, x.subject_account_id as account_id,
       c.email as account_email, x.subject, x.reason, x.before, x.after, host(x.ip_address) as ip_address
     from ${FROM} left join operator_keys k on k.id = x.operator_key_id
     where ${MATCHING} order by ${orderBy(query.ordering, { created_at: 'x.id' }, 'x.id')} limit $4 offset $5`,
    [...params, limit, offset],
  );
  return { results, count };
}
