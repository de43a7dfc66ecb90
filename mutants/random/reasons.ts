/** A random fault that changes nothing that anyone can observe. */
interface Reason {
  file: string;
  /** The text before and after, as the run prints it, with single spaces. */
  change: readonly [string, string];
  reason: string;
}

export const reasons: readonly Reason[] = [
  {
    file: 'server/src/payments/auto-purchase.ts',
    change: ['if (!(await claimRequest(app.db, order.id))) return;', ';'],
    reason:
      'A second guard: the order was made or claimed a moment ago, and the provider answers a repeated request with the same intent.',
  },
  ...['limit 1 `,', 'limit 1 for update `,'].map((after) => ({
    file: 'server/src/payments/transaction-counts.ts',
    change: ['limit 1 for update skip locked`,', after] as const,
    reason: 'Two processes that count the same entries write the same counts.',
  })),
  {
    file: 'server/sql/functions/apply_changes.sql',
    change: [
      'and v.account_id = any (array(select distinct account_id from c)) and v.id = any (array(select id from c))',
      'and v.account_id = any (array(select account_id from c)) and v.id = any (array(select id from c))',
    ],
    reason: 'A list of keys to look up may name one twice; once is faster.',
  },
  {
    file: 'server/sql/functions/idempotent_answers.sql',
    change: [
      'from (select distinct i.account_id, i.idempotency_key, i.endpoint',
      'from (select i.account_id, i.idempotency_key, i.endpoint',
    ],
    reason: 'The caller keeps one response for each key; reading it once is faster.',
  },
];
