import { type AuditRecord, record } from '../../audit/audit.ts';
import { countChange } from '../../limits/limits.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { originOf } from '../../platform/http/client-address.ts';
import type { TwilioApp, TwilioCall } from './serve.ts';

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
    if (!is_test) await countChange(tx, app, { account_id });
    return work(tx, async (entry) => {
      const by = { account_id, origin: originOf(call.request), actor: 'key' } as const;
      if (!is_test) await record(tx, app, { ...by, ...entry });
    });
  });
