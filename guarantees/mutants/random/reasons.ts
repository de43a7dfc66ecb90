/** A random fault without an observable effect. */
interface Reason {
  file: string;
  /** The text before and after, as the run prints it, with single spaces. */
  change: readonly [string, string];
  reason: string;
}

/**
 * Faults that drop `distinct`. The queries look rows up by key, or the caller collects them in a map, so duplicates have no
 * effect.
 */
const repeated: readonly Reason[] = (
  [
    [
      'apply_changes',
      'and v.account_id = any (array(select distinct account_id from c)) and v.id = any (array(select id from c))',
    ],
    ['idempotent_answers', 'from (select distinct i.account_id, i.idempotency_key, i.endpoint'],
    ['lock_sends', 'select distinct i.account_id, i.recipient from i'],
    [
      'lock_sends',
      'select array(select distinct i.account_id from i), array(select r.account_id from r order by r.account_id, r.recipient),',
    ],
    ['lock_sends', 'array(select distinct i.recipient_hash from i where i.recipient_hash is not null),'],
    [
      'lock_verifies',
      'select distinct i.account_id, i.otp_id from json_to_recordset(items) as i (account_id uuid, otp_id uuid)',
    ],
  ] as const
).map(([name, line]) => ({
  file: `server/sql/functions/${name}.sql`,
  change: [line, line.replace('distinct ', '')],
  reason: 'A key that is looked up twice has the same result; once is faster.',
}));

export const reasons: readonly Reason[] = [
  {
    file: 'server/src/payments/auto-purchase.ts',
    change: ['if (!(await claimRequest(app.db, order.id))) return;', ';'],
    reason:
      'A second guard: the order was made or claimed a moment ago, and the provider answers a repeated request with the same intent.',
  },
  ...['limit 1 `,', 'limit 1 for update `,'].map((after) => ({
    file: 'server/src/payments/history.ts',
    change: ['limit 1 for update skip locked`,', after] as const,
    reason: 'Two processes that count the same entries write the same counts.',
  })),
  {
    file: 'server/src/payments/disputes.ts',
    change: [
      '`select distinct o.intent_id from disputes d join orders o on o.id = d.order_id',
      '`select o.intent_id from disputes d join orders o on o.id = d.order_id',
    ],
    reason: 'A payment with two disputes is compared twice, with the same result.',
  },
  {
    file: 'server/src/protection/rules.ts',
    change: [
      'return is_exceeded ? { ...NOTHING_FOUND, is_exceeded } : NOTHING_FOUND;',
      'return ({ ...NOTHING_FOUND, is_exceeded });',
    ],
    reason: 'Another object with the same fields. Most sends need none.',
  },
  {
    file: 'server/src/protection/decision-store.ts',
    change: ['api_key_id: asked.api_key_id ?? null,', 'api_key_id: null ?? asked.api_key_id,'],
    reason: 'A missing field is written to the database as null.',
  },
  {
    file: 'server/sql/functions/apply_changes.sql',
    change: [
      'closed_by = coalesce(c.closed_by, v.closed_by),',
      'closed_by = coalesce(v.closed_by, c.closed_by),',
    ],
    reason: 'A verification that is closed is never closed again.',
  },
  ...['carrier', 'sender'].map((name) => ({
    file: 'server/sql/functions/apply_changes.sql',
    change: [
      `${name} = coalesce(c.${name}, v.${name}),`,
      `${name} = coalesce(v.${name}, c.${name}),`,
    ] as const,
    reason: 'A carrier accepts or refuses a verification once, while it has none or the same.',
  })),
  {
    file: 'server/sql/functions/count_failed_sign_ins.sql',
    change: [
      'select coalesce(person_id, account_id) as person_id, of_account, action as given, network, ip_address, user_agent, subject,',
      'select coalesce(account_id, person_id) as person_id, of_account, action as given, network, ip_address, user_agent, subject,',
    ],
    reason: 'No process sends both.',
  },
  {
    file: 'server/sql/functions/lock_sends.sql',
    change: [
      "where s.fingerprint = i.fingerprint and s.reason = 'hard_bounce' and s.otp_id is not null and not s.by_mail",
      "where s.fingerprint = i.fingerprint and s.reason = 'hard_bounce' and (s.otp_id is not null or true) and not s.by_mail",
    ],
    reason:
      'An entry without a verification has no detail, so it never matches; the condition is that of the index.',
  },
  {
    file: 'server/sql/functions/mirror_membership.sql',
    change: [
      'perform mirror_contact(coalesce(new.account_id, old.account_id));',
      'perform mirror_contact(coalesce(old.account_id, new.account_id));',
    ],
    reason: 'A membership keeps its account.',
  },
  {
    file: 'server/sql/functions/record_sends.sql',
    change: [`if strpos(sends::text, '"plans"') > 0 then`, `if strpos(sends::text, '"plans"') >= 0 then`],
    reason: 'Without plans, the statement inserts no row.',
  },
  ...repeated,
];
