import type { AccountingKind, exportAccounting } from '@sixdigit/contract/operator/accounting.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { receiptNumber } from '../../payments/payments.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { type Exported, PART_ROWS } from '../../platform/export/export.ts';

const DAY_MS = 86_400_000;

/** Everything that moved money or credits, except sends, their refunds and welcome credits. Oldest first. */
export const accountingExport = ({
  from,
  to,
}: Parsed<typeof exportAccounting, 'query'>): Exported<AccountingRow> => {
  const until = new Date(Date.parse(to) + DAY_MS).toISOString();
  return {
    name: `accounting-${from}-to-${to}`,
    columns: [
      { header: 'date', cell: ({ at }) => at },
      { header: 'kind', cell: ({ kind }) => kind },
      { header: 'account', cell: ({ email }) => email },
      { header: 'account_id', cell: ({ account_id }) => account_id },
      {
        header: 'receipt',
        cell: ({ receipt_number: number }) => (number === null ? null : receiptNumber(number)),
      },
      { header: 'gross', cell: ({ cents }) => cents / 100 },
      { header: 'currency', cell: ({ currency }) => currency.toUpperCase() },
      { header: 'credits', cell: ({ credits }) => credits },
      { header: 'order_id', cell: ({ order_id }) => order_id },
      { header: 'payment_intent_id', cell: ({ payment_intent_id }) => payment_intent_id },
      { header: 'refund_or_dispute_id', cell: ({ reversal_id }) => reversal_id },
      { header: 'provider', cell: ({ provider }) => provider },
      { header: 'reason', cell: ({ reason }) => reason },
    ],
    first: `${from}T00:00:00.000000Z`,
    async part(tx, after) {
      const [begin = ''] = after.split(' ');
      const rows = await selectAccountingPart(tx, { from: begin, after, until, most: PART_ROWS });
      return { rows, next: rows.length < PART_ROWS ? null : (rows.at(-1)?.place ?? null) };
    },
  };
};

interface AccountingRow {
  at: string;
  kind: AccountingKind;
  account_id: string;
  email: string | null;
  order_id: string | null;
  receipt_number: number | null;
  payment_intent_id: string | null;
  /** the provider's id of the refund or the dispute */
  reversal_id: string | null;
  provider: string | null;
  cents: number;
  currency: string;
  credits: number;
  reason: string;
  /** the sort key of the row; the next part of an export begins after it */
  place: string;
}

/** One part of an export: rows at or after `from` that follow the place `after`. */
interface AccountingPart {
  from: string;
  after: string;
  until: string;
  most: number;
}

interface Source {
  kind: string;
  at: string;
  id: string;
  shown: string;
  from: string;
  where?: string;
}

/** The credits of a refund's or dispute's ledger entry. A reversal of less than one credit has no entry. */
const creditsOf = (kind: 'clawback' | 'reinstate') =>
  `coalesce((select l.credits from ledger l where l.kind = '${kind}' and l.reference = '${kind}:' || r.id), 0)`;
const OF_ORDER = `o.account_id, o.id as order_id, o.receipt_number, o.intent_id, o.provider`;
const REASON_OF_DISPUTE = `coalesce((select d.reason from disputes d where d.id = r.id), '')`;

/** Each source is read in time order through an index. */
const SOURCES: readonly Source[] = [
  {
    kind: `'purchase'`,
    at: 'o.paid_at',
    id: 'o.id::text',
    shown: `${OF_ORDER}, null as reversal_id, o.price_usd_cents as cents, 'usd' as currency, o.credits, '' as reason`,
    from: 'from orders o',
  },
  {
    kind: `case when r.id like 're%' then 'refund' else 'dispute' end`,
    at: 'r.taken_at',
    id: `'taken ' || r.id`,
    shown: `${OF_ORDER}, r.id, -r.cents, 'usd', ${creditsOf('clawback')}, ${REASON_OF_DISPUTE}`,
    from: 'from order_reversals r join orders o on o.id = r.order_id',
  },
  {
    kind: `case when r.id like 're%' then 'refund_failed' else 'dispute_returned' end`,
    at: 'r.changed_at',
    id: `'returned ' || r.id`,
    shown: `${OF_ORDER}, r.id, r.cents, 'usd', ${creditsOf('reinstate')}, ${REASON_OF_DISPUTE}`,
    from: 'from order_reversals r join orders o on o.id = r.order_id',
    where: `r.state = 'returned'`,
  },
  {
    kind: `'unmatched_payment'`,
    at: 'u.found_at',
    id: `'found ' || u.intent_id`,
    shown:
      'u.account_id, u.order_id, null, u.intent_id, u.provider, null, u.amount_cents, u.currency, 0, u.reason',
    from: 'from unmatched_payments u',
  },
  {
    kind: `'unmatched_refund'`,
    at: 'u.refunded_at',
    id: `'refunded ' || u.intent_id`,
    shown:
      'u.account_id, u.order_id, null, u.intent_id, u.provider, null, -u.amount_cents, u.currency, 0, u.reason',
    from: 'from unmatched_payments u',
  },
  {
    kind: `'adjustment'`,
    at: 'x.created_at',
    id: 'x.id::text',
    shown: `x.subject_account_id, null, null, null, null, null, 0, 'usd',
      (x.after->>'credits')::int - (x.after->>'debt')::int - (x.before->>'credits')::int + (x.before->>'debt')::int, x.reason`,
    from: 'from operator_actions x',
    where: `x.action = 'account.adjust_credits'`,
  },
];

/** A text that sorts in the order of the times, to the microsecond, and then by id. */
const placeOf = ({ at, id }: Source): string =>
  `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || 'Z ' || ${id}`;

const rowsOf = (source: Source): string => {
  const { kind, at, shown, from, where = 'true' } = source;
  const place = `(${placeOf(source)}) collate "C"`;
  return `(select ${kind} as kind, ${at} as at, ${shown}, ${place} as place ${from}
    where ${where} and ${at} >= $1 and ${at} < $2 and ${place} > $3
    order by ${at}, ${place} limit $4)`;
};

/** The oldest rows of a period that follow a place, from all sources. */
export const selectAccountingPart = (
  sql: Queryable,
  { from, after, until, most }: AccountingPart,
): Promise<AccountingRow[]> =>
  sql.rows<AccountingRow>(
    `select t.kind, t.at, t.account_id, a.email, t.order_id, t.receipt_number, t.intent_id as payment_intent_id,
       t.reversal_id, t.provider, t.cents, t.currency, t.credits, t.reason, t.place
     from (${SOURCES.map(rowsOf).join(' union all ')} order by place limit $4) t
     left join accounts a on a.id = t.account_id
     order by t.place`,
    [from, until, after, most],
  );
