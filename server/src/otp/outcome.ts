import type { OtpState } from '@sixdigit/contract/otp.ts';
import { Failure } from '../platform/http/failure.ts';
import { isUuid } from '../platform/security/random.ts';
import type { OtpApp } from './call.ts';
import { insertOutcome } from './queries.ts';
import { findOtpState } from './state.ts';

/** Records the outcome of an own code once. A repetition changes nothing. */
export async function recordOutcome(
  { db, activity }: Pick<OtpApp, 'db' | 'activity'>,
  owner: { account_id: string; is_test: boolean },
  otp_id: string,
  verified: boolean,
): Promise<OtpState> {
  const outcome = verified ? 'verified' : 'unverified';
  const isNew = isUuid(otp_id) && (await insertOutcome(db, { ...owner, otp_id, outcome }));
  const state = isUuid(otp_id) ? await findOtpState(db, owner, otp_id) : undefined;
  if (!state) throw new Failure('otp_not_found');
  if (!state.own_code) throw new Failure('not_own_code');
  if (isNew && verified && !owner.is_test) activity.count('verified');
  if (!isNew && state.outcome !== outcome) throw new Failure('outcome_already_reported');
  return state;
}
