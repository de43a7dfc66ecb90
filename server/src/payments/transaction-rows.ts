/** The rows of the payment history, as SQL: the ledger's entries and the orders without credits. */

/** Maps the kind of an entry to its name on the screens. */
export const TYPE = `case l.kind when 'welcome' then 'purchase' when 'clawback' then 'usage' when 'reinstate' then 'refund'
  when 'adjustment' then case when l.credits > 0 then 'purchase' else 'usage' end else l.kind end`;
/** What the entry or order is, for people: a card refund is a `usage` without a send. */
const KIND = `case l.kind when 'clawback' then case when l.reference like 'clawback:re%' then 'card_refund' else 'dispute' end
  when 'reinstate' then case when l.reference like 'reinstate:re%' then 'card_refund' else 'dispute' end else l.kind end`;
/** The money of an entry: paid for a purchase, and negative where it went back to the card. */
const CENTS = `case l.kind when 'purchase' then o.price_usd_cents when 'clawback' then -r.cents when 'reinstate' then r.cents end`;
const REASON = `case when o.failure is null then '' else ' – ' || o.failure end`;

/** The entries of an account ($1). */
export const ENTRIES = `
  select l.id, ${TYPE} as transaction_type, ${KIND} as kind, abs(l.credits) as amount, ${CENTS} as price_usd_cents,
    'succeeded' as payment_status, l.description, l.created_at, l.kind = 'purchase' as has_receipt
  from ledger l left join orders o on l.kind = 'purchase' and o.intent_id = substr(l.reference, length('purchase:') + 1)
  left join order_reversals r on l.kind in ('clawback', 'reinstate') and r.id = split_part(l.reference, ':', 2)
  where l.account_id = $1`;
/** Its orders without credits that somebody tried to pay. An opened payment form is not a try; a saved card is charged at once. */
export const ORDERS = `
  select o.id, 'purchase' as transaction_type, 'purchase' as kind, o.credits as amount, o.price_usd_cents, o.status as payment_status,
    case o.kind when 'bundle' then 'Credit bundle' when 'custom' then 'Custom amount' else 'Auto-purchase' end
      || ': ' || to_char(o.credits, 'FM999,999,999') || ' credits' || ${REASON} as description,
    o.created_at, false as has_receipt
  from orders o where o.account_id = $1 and o.status <> 'succeeded'
    and (o.method_id is not null or o.is_tried or (o.status = 'failed' and o.intent_id is not null))`;

/** Whether a row `t` matches the search ($2). */
export const MATCHING = `($2::text is null or t.description ilike $2 or t.transaction_type ilike $2)`;
