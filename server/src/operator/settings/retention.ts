import type { confirmRetention } from '@sixdigit/contract/operator/retention.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { confirmDays } from '../../platform/db/kept-days.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { recordAction } from '../audit.ts';

/** Throws `changed_meanwhile` unless the setting still waits for a confirmation with these values. */
export async function confirmRetentionOf(
  app: Needs<'db' | 'config' | 'random'>,
  by: OperatorCaller,
  { reason, ...shown }: Parsed<typeof confirmRetention, 'body'>,
): Promise<void> {
  await app.db.transaction(async (tx) => {
    if ((await confirmDays(tx, app.config, shown)).length === 0) throw new Failure('changed_meanwhile');
    await recordAction(tx, app, by, {
      action: 'retention.confirm',
      subject: shown.name,
      reason,
      before: { days: shown.kept_days },
      after: { days: shown.days },
    });
  });
}
