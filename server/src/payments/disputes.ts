import {
  CLOSED_DISPUTES,
  DISPUTE_STATUSES,
  type OperatorDispute,
} from '@sixdigit/contract/operator/disputes.ts';
import type { Page } from '../platform/db/page.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import { isUuid } from '../platform/security/random.ts';
import type { Dispute } from './card-provider.ts';
import type { Order } from './orders.ts';

/**
 * Disputes, for operators. Their effect on credits is in `reversals.ts`. The provider's state is read after each event, and a
 * late response changes nothing: a status only moves forward in the order of `DISPUTE_STATUSES`.
 */
export const noteDispute = (
  tx: Tx,
  { id: order_id, account_id }: Pick<Order, 'id' | 'account_id'>,
  { id, cents, currency, reason, status, evidence_due_at, has_evidence, opened_at }: Dispute,
): Promise<number> =>
  tx.run(
    `insert into disputes as d (id, order_id, account_id, cents, currency, reason, status, evidence_due_at, has_evidence,
       opened_at, closed_at, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $7 = any ($11::text[]) then clock_now() end, clock_now())
     on conflict (id) do update set cents = excluded.cents, reason = excluded.reason, status = excluded.status,
       evidence_due_at = excluded.evidence_due_at, has_evidence = d.has_evidence or excluded.has_evidence,
       closed_at = coalesce(d.closed_at, excluded.closed_at), changed_at = excluded.changed_at
     where array_position($12::text[], excluded.status) >= array_position($12::text[], d.status)
       and (d.cents, d.reason, d.status, d.evidence_due_at, d.has_evidence) is distinct from
         (excluded.cents, excluded.reason, excluded.status, excluded.evidence_due_at, d.has_evidence or excluded.has_evidence)`,
    [
      id,
      order_id,
      account_id,
      cents,
      currency,
      reason,
      status,
      evidence_due_at,
      has_evidence,
      opened_at,
      CLOSED_DISPUTES,
      DISPUTE_STATUSES,
    ],
  );

export type DisputeRow = Omit<OperatorDispute, 'email'>;

export interface DisputeFilter {
  /** the id of a dispute, an order, an account or a payment; '' for all */
  search: string;
  state: 'all' | 'open' | 'closed';
}

const SHOWN = `d.id, d.order_id, d.account_id, o.intent_id as payment_intent_id, o.provider, d.cents, d.currency, d.reason, d.status,
  d.evidence_due_at, d.has_evidence, d.opened_at, d.closed_at, coalesce(r.state, 'none') as funds`;
const FROM = `disputes d join orders o on o.id = d.order_id left join order_reversals r on r.id = d.id`;

/** Open ones first, the most urgent at the top; then the newest. */
export async function selectDisputes(
  sql: Queryable,
  { search, state }: DisputeFilter,
  { limit, offset }: Page,
): Promise<{ disputes: DisputeRow[]; count: number }> {
  const params: unknown[] = [];
  const conditions = [
    { all: 'true', open: 'd.closed_at is null', closed: 'd.closed_at is not null' }[state],
    ...(search === '' ? [] : [matching(search, `$${params.push(search)}`)]),
  ];
  const where = conditions.join(' and ');
  const { count } = await sql.one<{ count: number }>(`select count(*) from ${FROM} where ${where}`, params);
  const n = params.length;
  const disputes = await sql.rows<DisputeRow>(
    `select ${SHOWN} from ${FROM} where ${where}
     order by d.closed_at is not null, case when d.closed_at is null then d.evidence_due_at end, d.opened_at desc, d.id
     limit $${n + 1} offset $${n + 2}`,
    [...params, limit, offset],
  );
  return { disputes, count };
}

const matching = (search: string, value: string): string => {
  if (isUuid(search)) return `(d.order_id = ${value} or d.account_id = ${value})`;
  return `(d.id = ${value} or o.intent_id = ${value})`;
};

export const selectOpenlyDisputed = async (sql: Queryable, provider: string): Promise<string[]> =>
  (
    await sql.rows<{ intent_id: string }>(
      `select distinct o.intent_id from disputes d join orders o on o.id = d.order_id
       where d.closed_at is null and o.provider = $1`,
      [provider],
    )
  ).map(({ intent_id }) => intent_id);

export const openDisputes = (sql: Queryable): Promise<{ open: number; next_due_at: string | null }> =>
  sql.one(
    `select count(*) as open, min(evidence_due_at) filter (where status = any ($1)) as next_due_at
     from disputes where closed_at is null`,
    [['warning_needs_response', 'needs_response']],
  );
