import { latestRefusal, openDisputes, unmatchedPayments } from '../../../payments/payments.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Finding, problem, warning } from '../../../platform/finding.ts';

const NAME = 'payments';

/** Reports unmatched payments, open disputes and recent errors of the card provider. */
export async function checkPayments(db: Sql): Promise<Finding[]> {
  // A database that has not been migrated yet does not have these tables.
  const unmatched = await unmatchedPayments(db).catch(() => undefined);
  const disputes = await openDisputes(db).catch(() => undefined);
  const refusal = await latestRefusal(db).catch(() => undefined);
  const found: Finding[] = [];
  if (unmatched && unmatched.waiting > 0)
    found.push(
      problem(
        NAME,
        `${counted(unmatched.waiting)} without an order could not be refunded yet${unmatched.last_failure ? `: ${unmatched.last_failure}` : ''}.`,
        'The service retries. Give the key write access to Refunds, or refund the payment in the dashboard of Stripe.',
      ),
    );
  if (unmatched && unmatched.refunded > 0)
    found.push(
      warning(
        NAME,
        `${counted(unmatched.refunded)} of the last 30 days belonged to no order and ${unmatched.refunded === 1 ? 'was' : 'were'} refunded.`,
        'Look for "a payment cannot be credited" in the log: an intent was made twice or changed by hand.',
      ),
    );
  if (disputes && disputes.open > 0)
    found.push(
      warning(
        NAME,
        `${disputes.open === 1 ? '1 dispute is' : `${disputes.open} disputes are`} open${disputes.next_due_at === null ? '' : `; evidence is due by ${disputes.next_due_at}`}.`,
        'Submit evidence or accept the dispute in the dashboard of Stripe. /operator/payments lists them.',
      ),
    );
  if (refusal)
    found.push(
      problem(
        NAME,
        `Stripe refused a request at ${refusal.at}, and no purchase has succeeded since: ${refusal.because}`,
        'Check STRIPE_SECRET_KEY and its permissions (docs/payments.md), and the request in the dashboard of Stripe.',
      ),
    );
  return found;
}

const counted = (n: number): string => `${n} ${n === 1 ? 'payment' : 'payments'}`;
