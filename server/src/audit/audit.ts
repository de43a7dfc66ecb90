import { AUDIT_DAYS, type AuditAction, type AuditActor } from '@sixdigit/contract/audit.ts';
import type { RetentionRules } from '../platform/db/retention.ts';
import type { Tx } from '../platform/db/sql.ts';
import type { Origin, UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { insertEntry, removeOldEntries, type Values, withoutSecrets } from './queries.ts';

export { createFailedSignIns, type FailedAction, type FailedSignIns } from './failed-sign-ins.ts';
/**
 * The audit log of an account: who did what, when, from where, with the values before and after. The database refuses changes of
 * it. Rows go after 400 days, or with the account.
 */
export { entriesOf, entryOf } from './list.ts';
export { changesBetween, eraseAuditEntries } from './queries.ts';

export interface AuditRecord {
  account_id: string;
  /** `operator` and `system` need no origin. The account does not see which operator it was. */
  actor: AuditActor;
  origin?: Origin | undefined;
  action: AuditAction;
  /** the thing that was changed, for people, such as the name of a key */
  subject?: string;
  before?: Values | undefined;
  after?: Values | undefined;
}

/** The first fields of an entry for what a signed-in user did. */
export const byOwner = (
  caller: Pick<UserCaller, 'account_id' | keyof Origin>,
): Pick<AuditRecord, 'account_id' | 'actor' | 'origin'> => ({
  account_id: caller.account_id,
  actor: 'owner',
  origin: caller,
});

const SUBJECT_MOST = 300;

/** Adds an entry, in the transaction of the change. Fields whose names are those of secrets are left out. */
export async function record(tx: Tx, app: Needs<'random'>, entry: AuditRecord): Promise<void> {
  const { account_id, actor, action, subject = '', before, after, origin } = entry;
  await insertEntry(tx, {
    id: app.random.uuid(),
    account_id,
    actor,
    action,
    subject: subject.slice(0, SUBJECT_MOST),
    before: withoutSecrets(before),
    after: withoutSecrets(after),
    ip_address: actor === 'operator' ? null : (origin?.ip_address ?? null),
    user_agent: actor === 'operator' ? null : (origin?.user_agent ?? null),
  });
}

const BATCH_SIZE = 2_000;

export const auditRetention: RetentionRules = {
  rows: [
    {
      table: 'audit_entries',
      run: (tx) => removeOldEntries(tx, { days: AUDIT_DAYS, most: BATCH_SIZE }),
      batch: BATCH_SIZE,
    },
  ],
};
