import type { Channel } from '@sixdigit/contract/channels.ts';
import type { SEND_FAILURES } from '@sixdigit/contract/otp.ts';
import type { SKIP_REASONS, Step, StepStatus } from '@sixdigit/contract/plan-fields.ts';
import type { SendPrice } from '@sixdigit/contract/prices.ts';
import { costOf, sendPriceOf } from '@sixdigit/contract/send-prices.ts';
import { count } from '../../payments/prices.ts';
import { CHANNELS_SHOWN, labelOf } from '../../ui/channel.ts';

interface Plan {
  channels: readonly Channel[];
  wait_seconds: number;
}

/** 'SMS, then voice after 60 s, WhatsApp after 120 s' */
export const planText = ({ channels, wait_seconds }: Plan): string =>
  channels
    .map((channel, n) =>
      n === 0
        ? labelOf(channel)
        : `${n === 1 ? 'then ' : ''}${CHANNELS_SHOWN[channel].noun} after ${n * wait_seconds} s`,
    )
    .join(', ');

/** 'At most 3 credits', if every message of the plan is sent. */
export function mostText(
  { channels }: Pick<Plan, 'channels'>,
  sends: readonly SendPrice[],
  country: string | null,
): string {
  const prices = channels.map((channel) => sendPriceOf(sends, { channel, country }));
  const credits = channels.reduce(
    (sum, channel) => sum + costOf(sends, { channel, country, segments: 1 }),
    0,
  );
  const bySegment = prices.some(({ unit }) => unit === 'segment') ? ' with texts of one segment' : '';
  return `At most ${count(credits)}${bySegment}`;
}

/** How each status of a step is named, and the status of verifications whose color it has. */
export const STEP_SHOWN = {
  waiting: { label: 'waiting', mark: 'pending' },
  pending: { label: 'pending', mark: 'pending' },
  sent: { label: 'sent', mark: 'sent' },
  delivered: { label: 'delivered', mark: 'verified' },
  failed: { label: 'failed', mark: 'failed' },
  skipped: { label: 'skipped', mark: 'expired' },
  canceled: { label: 'canceled', mark: 'expired' },
} as const satisfies Record<StepStatus, object>;

type SkipReason = (typeof SKIP_REASONS)[number] | (typeof SEND_FAILURES)[number];

const SKIPPED: Record<SkipReason, string> = {
  channel_unavailable: 'The channel is not available on this service',
  own_text: 'The channel shows no text of your own',
  recipient_refused: 'The channel does not reach the recipient',
  unreachable: 'The recipient does not use the channel',
  recipient_opted_out: 'The recipient opted out',
  recipient_suppressed: 'The address gets no more email',
  insufficient_credits: 'Not enough credits',
  spend_limit_reached: 'The spend limit was reached',
  recipient_rate_limited: 'The recipient got too many codes',
  destination_blocked: 'A rule blocks the destination',
  test_limit_reached: 'Too many test sends today',
  rate_limited: 'Too many requests',
  api_key_unusable: 'The API key can no longer send',
};

/** Why a step failed or was skipped. */
export function reasonText({ status, reason }: Pick<Step, 'status' | 'reason'>): string | null {
  if (reason === undefined) return null;
  return status === 'skipped'
    ? ((SKIPPED as Record<string, string>)[reason] ?? `Refused: ${reason.replaceAll('_', ' ')}`)
    : reason;
}

/** The step that starts next, if any waits. */
export const nextOf = (steps: readonly Step[] = []): Step | undefined =>
  steps.find(({ status }) => status === 'waiting');
