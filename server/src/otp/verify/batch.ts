import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import { isDatabaseUnavailable } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Protection } from '../../protection/protection.ts';
import { countEnds, countedEventOfVerify, type EndedSend } from '../change.ts';
import { recipientKey } from '../code.ts';
import type { BatchConnection, Batches } from '../group-commit.ts';
import { decideVerify, type LockedVerifies, type VerifyItem, type VerifyResult } from './decision.ts';
import { committedResults, lockVerifies, writeVerifies } from './rows.ts';

type App = Needs<'db' | 'clock' | 'vault' | 'wakeups'> & {
  carriers: Pick<Carriers, 'feedback'>;
  protection: Pick<Protection, 'guard'>;
};

/** Adds a verify to the next batch. Resolves after its commit. */
export const verifyInBatch = (app: App & { batches: Batches }, item: VerifyItem): Promise<VerifyResult> =>
  app.batches.join(runVerifyBatch, app, item);

/** Locks the recipients of the verifies, decides them in order of arrival, and commits tries, changes and log rows. */
async function runVerifyBatch(
  app: App,
  connection: BatchConnection,
  items: readonly VerifyItem[],
  retry: boolean,
): Promise<VerifyResult[]> {
  const locked = await lockVerifies(app, connection, items);
  const earlier = retry ? await committedResults(connection, items) : undefined;
  if (earlier) return earlier;
  const before = new Map([...locked.verifications].map(([key, { status }]) => [key, status]));
  const results = items.map((item) => ({
    outcome: decideVerify(app, locked, item),
    about: aboutOf(locked, item),
  }));
  try {
    await writeVerifies(app, connection, { locked, items, results });
  } catch (error) {
    if (isDatabaseUnavailable(error))
      items.forEach((item, n) => {
        item.decided ??= results[n] as VerifyResult;
      });
    throw error;
  }
  countEnds(app.protection.guard, locked.nowMs, endsOf(locked, before));
  if (locked.changes.length > 0) app.wakeups.notify('webhooks');
  if (locked.rightCodes?.length) app.wakeups.notify('feedback');
  return results;
}

/** The sends that the decisions ended, with their outcomes. `before`: the statuses before the decisions. */
const endsOf = (
  { changes, verifications }: LockedVerifies,
  before: ReadonlyMap<string, OtpStatus>,
): EndedSend[] =>
  changes.flatMap((change) => {
    const key = recipientKey(change.account_id, change.id);
    const [verification, status] = [verifications.get(key), before.get(key)];
    const event = status && countedEventOfVerify(status, change);
    return verification && event ? [{ ...verification, event }] : [];
  });

function aboutOf({ verifications }: LockedVerifies, item: VerifyItem): VerifyResult['about'] {
  const verification = verifications.get(recipientKey(item.account_id, item.otp_id));
  if (!verification || verification.is_test !== item.is_test) return null;
  const { id: otp_id, recipient, channel } = verification;
  return { otp_id, recipient, channel };
}
