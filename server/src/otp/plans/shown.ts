import type { OtpState } from '@sixdigit/contract/otp.ts';
import type { Step } from '@sixdigit/contract/plan-fields.ts';
import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { findPlanTimes, type PlanTimes } from './queries.ts';
import type { StoredStep } from './step.ts';

/** A message as its step shows it. */
export interface StepMessage {
  id: string;
  status: OtpStatus;
  created_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  failure: string | null;
  closed_by: string | null;
}

/** The state of a verification with a plan: the status counts all messages, and each channel has a step. */
export async function stateOfPlan(
  sql: Queryable,
  account_id: string,
  {
    state,
    steps,
    messages,
    is_open,
  }: {
    state: OtpState;
    steps: readonly StoredStep[];
    messages: readonly StepMessage[];
    is_open: boolean;
  },
): Promise<OtpState> {
  const earliest = (field: 'sent_at' | 'delivered_at') =>
    messages.flatMap((one) => one[field] ?? []).sort()[0] ?? null;
  const sent_at = earliest('sent_at');
  return {
    ...state,
    status: state.status === 'pending' && sent_at !== null ? 'sent' : state.status,
    sent_at,
    delivered_at: earliest('delivered_at'),
    failure: state.status === 'failed' ? state.failure : null,
    steps: await stepsOf(sql, account_id, { otp_id: state.otp_id, steps, messages, is_open }),
  };
}

interface Planned {
  otp_id: string;
  steps: readonly StoredStep[];
  messages: readonly StepMessage[];
  is_open: boolean;
}

/** The channels of a plan, with the times at which waiting ones start. */
export async function stepsOf(
  sql: Queryable,
  account_id: string,
  { otp_id, steps, messages, is_open }: Planned,
): Promise<Step[]> {
  const isWaiting = is_open && steps.some(({ id, skipped }) => !id && !skipped);
  return shownSteps(steps, messages, isWaiting ? await findPlanTimes(sql, account_id, otp_id) : undefined);
}

function shownSteps(
  steps: readonly StoredStep[],
  messages: readonly StepMessage[],
  times: PlanTimes | undefined,
): Step[] {
  const due = times ? dueTimes(times) : [];
  return steps.map(({ channel, id, skipped, at = null }) => {
    if (skipped) return { channel, status: 'skipped', at, reason: skipped };
    const message = messages.find((one) => one.id === id);
    if (message) return { channel, at: message.created_at, ...stateOf(message) };
    return times
      ? { channel, status: 'waiting', at: due.shift() ?? null }
      : { channel, status: 'canceled', at: null };
  });
}

/** When the waiting steps start if nothing happens before, as long as the code is valid then. A held plan is due at the expiry. */
function dueTimes({ run_at, expires_at, wait_seconds }: PlanTimes): string[] {
  const times: string[] = [];
  for (let ms = Date.parse(run_at); ms < Date.parse(expires_at); ms += wait_seconds * 1000)
    times.push(new Date(ms).toISOString());
  return times;
}

function stateOf({
  status,
  sent_at,
  delivered_at,
  failure,
  closed_by,
}: StepMessage): Pick<Step, 'status' | 'reason'> {
  if (delivered_at !== null) return { status: 'delivered' };
  // Too many wrong codes are not a failure of the message.
  if (failure !== null && closed_by !== 'attempts') return { status: 'failed', reason: failure };
  if (sent_at !== null) return { status: 'sent' };
  return { status: status === 'pending' ? 'pending' : 'canceled' };
}
