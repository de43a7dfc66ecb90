import type { OtpState } from '@sixdigit/contract/otp.ts';
import type { Queryable, Sql } from '../platform/db/sql.ts';
import { type StepMessage, stateOfPlan } from './plans/shown.ts';
import type { StoredPlan } from './plans/step.ts';

/** After its expiry, a verification reads as expired, even before the sweep job has run. */
const SHOWN_STATUS = `case when status = 'sent' and expires_at <= clock_now() then 'expired' else status end as status`;

/** Finds a verification of this account and mode. */
export async function findOtpState(
  sql: Sql,
  { account_id, is_test }: { account_id: string; is_test: boolean },
  id: string,
): Promise<OtpState | undefined> {
  const found = await sql.maybe<FoundState>(
    `select id as otp_id, ${SHOWN_STATUS},
       channel, recipient, cost_credits, segments, created_at, expires_at, sent_at, delivered_at, verified_at, failure,
       locale, language, template, template_version, purpose, metadata::json as metadata, own_code, outcome, outcome_at, resend_ids, plan,
       closed_by, code_hmac is not null and closed_by is null and expires_at > clock_now() as is_open
     from verifications where account_id = $1 and id = $2 and is_test = $3`,
    [account_id, id, is_test],
  );
  if (!found) return undefined;
  const { own_code, outcome, outcome_at, resend_ids, plan, closed_by, is_open, ...given } = found;
  const again = resend_ids ? await selectResends(sql, account_id, resend_ids) : undefined;
  const state: OtpState = {
    ...given,
    ...(own_code ? { own_code, outcome, outcome_at } : {}),
    ...(again ? { resends: again.map(shownResend) } : {}),
    ...(is_test ? { test: true } : {}),
  };
  if (!plan?.steps) return state;
  const messages = [{ ...given, id: given.otp_id, closed_by }, ...(again ?? [])];
  return stateOfPlan(sql, account_id, { state, steps: plan.steps, messages, is_open });
}

type FoundState = OtpState & {
  own_code: boolean;
  resend_ids: string[] | null;
  plan: StoredPlan | null;
  closed_by: string | null;
  is_open: boolean;
};
type ResendRow = StepMessage & Pick<NonNullable<OtpState['resends']>[number], 'channel' | 'cost_credits'>;

const shownResend = ({ id: resend_id, channel, status, created_at, cost_credits, failure }: ResendRow) => ({
  resend_id,
  channel,
  status,
  created_at,
  cost_credits,
  failure,
});

/** The messages that repeat a verification's code. */
export const selectResends = (
  sql: Queryable,
  account_id: string,
  ids: readonly string[],
): Promise<ResendRow[]> =>
  sql.rows(
    `select id, channel, ${SHOWN_STATUS}, created_at, cost_credits, failure, sent_at, delivered_at, closed_by
     from verifications where account_id = $1 and id = any ($2::uuid[]) order by id`,
    [account_id, ids],
  );
