/** The rows of the payment history, as SQL: the ledger's entries and the orders without credits. */

/** Maps the kind of an entry to its name on the screens. */
export const TYPE = `case l.kind when 'welcome' then 'purchase' when 'clawback' then 'usage' when 'reinstate' then 'refund'
  when 'adjustment' then case when l.credits > 0 then 'purchase' else 'usage' end else l.kind end`;
const REASON = `case when o.failure is null then '' else ' – ' || o.failure end`;

/** The entries of an account ($1). */
export const ENTRIES = `
  select l.id, ${TYPE} as transaction_type, abs(l.credits) as amount, o.price_usd_cents,
    'succeeded' as payment_status, l.description, l.created_at, l.kind = 'purchase' as has_receipt
  from ledger l left join orders o on l.kind = 'purchase' and o.intent_id = substr(l.reference, length('purchase:') + 1)
  where l.account_id = $1`;
/** Its orders without credits. */
export const ORDERS = `
  select o.id, 'purchase' as transaction_type, o.credits as amount, o.price_usd_cents, o.status as payment_status,
    case o.kind when 'bundle' then 'Credit bundle' when 'custom' then 'Custom amount' else 'Auto-purchase' end
      || ': ' || to_char(o.credits, 'FM999,999,999') || ' credits' || ${REASON} as description,
    o.created_at, false as has_receipt
  from orders o where o.account_id = $1 and o.status <> 'succeeded'`;

/** Whether a row `t` matches the search ($2). */
export const MATCHING = `($2::text is null or t.description ilike $2 or t.transaction_type ilike $2)`;
