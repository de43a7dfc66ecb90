import { type AuditRecord, record } from '../../audit/audit.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { originOf } from '../../platform/http/client-address.ts';
import type { Needs } from '../../platform/platform.ts';
import { TwilioError } from './errors.ts';
import type { TwilioApp, TwilioCall } from './serve.ts';

/** Changes of live settings by API keys. Each is an entry in the audit log, so their number is limited. */
const CHANGES_A_DAY = 1_000;

type Recorded = Pick<AuditRecord, 'action' | 'subject' | 'before' | 'after'>;

/**
 * Runs a change of settings in one transaction. `log` records a live one; tests leave no entries. Live changes of an account run one
 * after another, because counting locks the account's row of counts.
 */
export const changing = <T>(
  app: TwilioApp,
  call: TwilioCall,
  work: (tx: Tx, log: (entry: Recorded) => Promise<void>) => Promise<T>,
): Promise<T> =>
  app.db.transaction(async (tx) => {
    const { account_id, is_test } = call.caller;
    if (!is_test) await countChange(tx, app, { account_id, most: CHANGES_A_DAY });
    return work(tx, async (entry) => {
      const by = { account_id, origin: originOf(call.request), actor: 'key' } as const;
      if (!is_test) await record(tx, app, { ...by, ...entry });
    });
  });

/** Throws if keys of the account have made that many changes today. */
export async function countChange(
  sql: Queryable,
  { clock }: Needs<'clock'>,
  { account_id, most }: { account_id: string; most: number },
): Promise<void> {
  const counted = await sql.rows(
    `insert into twilio_safe_list_changes as c (account_id, day, changes)
     values ($1, (clock_now() at time zone 'UTC')::date, 1)
     on conflict (account_id) do update set day = excluded.day,
       changes = case when c.day = excluded.day then c.changes + 1 else 1 end
     where c.day <> excluded.day or c.changes < $2
     returning 1`,
    [account_id, most],
  );
  if (counted.length > 0) return;
  const retry_after = Math.ceil((DAY_MS - (clock.now().getTime() % DAY_MS)) / 1000);
  throw new TwilioError([429, 20429], 'Too many requests', { reason: 'too_many_changes', retry_after });
}

const DAY_MS = 86_400_000;
