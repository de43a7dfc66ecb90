import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import type { sendOtp } from '@sixdigit/contract/otp.ts';
import { AUTO, WAIT_SECONDS } from '@sixdigit/contract/plan-fields.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { normalisePhone } from '../../platform/addresses/phone.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { OtpApp } from '../call.ts';
import { type Addressed, addressed, type SendItem, type SendText, sendItem, sendText } from '../send/item.ts';
import { type SendCall, send, sendPrepared } from '../send/send.ts';
import type { SendBody } from '../send/wording.ts';
import type { AccountPlan } from './queries.ts';
import type { StepText, StoredStep } from './step.ts';

/** The refusals that another channel may not get. */
const OF_CHANNEL: ReadonlySet<string> = new Set([
  'recipient_opted_out',
  'insufficient_credits',
  'spend_limit_reached',
]);
export const isOfChannel = (reason: string): boolean => OF_CHANNEL.has(reason);

type PlannedCall = Omit<SendCall, 'body'> & { body: Omit<Parsed<typeof sendOtp, 'body'>, 'proof'> };

/** Sends a code on one channel, or on the first channel of a plan. Throws the refusal of a send. */
export async function sendPlanned(
  app: OtpApp,
  program: ApiCaller,
  call: PlannedCall,
): ReturnType<typeof send> {
  const { channel, channels, wait_seconds, ...rest } = call.body;
  if (channel !== undefined || channels === undefined)
    return send(app, program, { ...call, body: { ...rest, channel: channel as Channel } });
  const { app_hash, domain, ...shown } = rest;
  const plan = await planOf(app, program, { ...call.body, channels });
  const [first] = plan.channels as [Channel];
  const to = addressed(app, program, { ...shown, channel: first });
  const made: MadeStep[] = [];
  for (const channel of plan.channels) {
    const body = hasFixedText(channel) ? { ...shown, channel } : { ...shown, app_hash, domain, channel };
    made.push({ channel, ...(await textOrSkip(app, program, body, to)) });
  }
  const refusal = ofPlan(made.find(({ text }) => text?.refusal)?.text?.refusal);
  let refused: unknown;
  for (const [n, { channel, text }] of made.entries()) {
    if (!text) continue;
    const item = await sendItem(app, program, { ...shown, channel }, { to, text });
    const later = made.slice(n + 1);
    const planned: SendItem['plan'] = {
      channels: plan.channels,
      rest: later.flatMap(stepTexts),
      wait_seconds: plan.wait_seconds,
    };
    const steps = made.map((step, place) => (place === n ? { channel, id: item.id } : storedOf(step)));
    const row = { ...item.row, plan: { step: n + 1, steps } };
    try {
      return await sendPrepared(app, program, { ...item, row, plan: planned, refusal }, call);
    } catch (error) {
      const reason = refusedChannel(error);
      if (reason === undefined) throw error;
      refused ??= ofPlan(error);
      made[n] = { channel, ...skippedFor(app, reason) };
    }
  }
  if (refused) throw refused;
  // A repeated request gets its first response although a recipient has become unreachable since.
  const text: SendText = { message: undefined, subject: undefined, language: undefined, segments: null };
  const item = await sendItem(app, program, { ...shown, channel: first }, { to, text });
  return sendPrepared(app, program, { ...item, refusal: unreached() }, call);
}

const unreached = () =>
  new FieldErrors({ channels: ['No channel of the plan reaches the recipient with this text.'] });

/** Why another channel may still get the send; undefined if none may. */
function refusedChannel(error: unknown): string | undefined {
  if (error instanceof FieldErrors) return error.fields.channel && 'recipient_refused';
  return error instanceof Failure && isOfChannel(error.reason) ? error.reason : undefined;
}

/** A send with a plan has no field `channel`. */
function ofPlan<E>(error: E): E | FieldErrors {
  if (!(error instanceof FieldErrors) || !error.fields.channel) return error;
  return new FieldErrors({ channels: error.fields.channel });
}

/** A channel of a plan, with its text unless it is skipped. */
interface MadeStep extends StoredStep {
  text?: SendText;
}

/** Whether a company shows a text of its own in place of the sender's. */
const hasFixedText = (channel: Channel): boolean => factsOf(channel).format === 'fixed';

async function textOrSkip(
  app: OtpApp,
  program: ApiCaller,
  body: SendBody,
  to: Addressed,
): Promise<Omit<MadeStep, 'channel'>> {
  const { channel, message, subject, template } = body;
  const isFixed = hasFixedText(channel);
  if (isFixed && [message, subject, template].some((text) => text !== undefined))
    return skippedFor(app, 'own_text');
  const text = await sendText(app, program, body, to);
  const reached = { channel, recipient: to.recipient, is_test: program.is_test };
  return isFixed && (await app.plans.isUnreachable(reached)) ? skippedFor(app, 'unreachable') : { text };
}

const skippedFor = ({ clock }: Pick<OtpApp, 'clock'>, skipped: string) => ({
  skipped,
  at: clock.now().toISOString(),
});

const storedOf = ({ text: _, ...step }: MadeStep): StoredStep => step;

/** What the step needs when it starts. */
function stepTexts({ channel, text }: MadeStep): StepText[] {
  if (!text) return [];
  const { refusal: _, ...wording } = text;
  return [{ channel, ...wording }];
}

/** The channels of a send and their wait. Throws field errors. */
async function planOf(
  app: OtpApp,
  program: ApiCaller,
  {
    channels,
    wait_seconds,
    recipient,
    expires_in,
  }: Pick<PlannedCall['body'], 'wait_seconds' | 'recipient' | 'expires_in'> & {
    channels: NonNullable<PlannedCall['body']['channels']>;
  },
): Promise<AccountPlan> {
  const life = expires_in ?? program.default_expiry_seconds;
  if (wait_seconds !== undefined && wait_seconds >= life)
    throw new FieldErrors({
      wait_seconds: [`The code is valid for ${life} seconds, so the wait must be less.`],
    });
  /** A wait as long as the code's life would keep the next channel from starting. */
  const waitOf = (chosen: number | undefined, count: number): number => {
    const even = Math.max(WAIT_SECONDS.min, Math.floor(life / count));
    return chosen !== undefined && chosen < life ? chosen : Math.min(WAIT_SECONDS.default, even);
  };
  if (channels === AUTO) {
    const plan = await autoPlan(app, program, recipient);
    return {
      channels: plan.channels,
      wait_seconds: waitOf(wait_seconds ?? plan.wait_seconds, plan.channels.length),
    };
  }
  const missing = channels.filter((one) => !app.carriers.has(one));
  if (missing.length > 0)
    throw new FieldErrors({
      channels: missing.map((one) => `${factsOf(one).label} is not available on this service.`),
    });
  return { channels, wait_seconds: waitOf(wait_seconds, channels.length) };
}

/**
 * The account's plan for the recipient, without channels that the service does not have. Throws a field error if none is left. The
 * wait is undefined if the account has set none.
 */
async function autoPlan(
  app: OtpApp,
  { account_id }: ApiCaller,
  recipient: string,
): Promise<{ channels: Channel[]; wait_seconds: number | undefined }> {
  const isEmail = recipient.includes('@');
  const plans = isEmail ? undefined : await app.plans.of(account_id);
  const country = isEmail ? undefined : normalisePhone(recipient, app.config)?.country;
  const own = plans?.countries.find((one) => one.country === country) ?? plans?.default;
  const { channels } = own ?? builtInPlan(app, isEmail ? 'email' : 'phone');
  const available = channels.filter((one) => app.carriers.has(one));
  if (available.length === 0)
    throw new FieldErrors({ channels: ['No channel for this recipient is available on this service.'] });
  return { channels: available, wait_seconds: own?.wait_seconds };
}

/** A text, then a call, as far as the service has them. Channels of other companies are a choice. */
export const builtInPlan = (
  { carriers }: Pick<OtpApp, 'carriers'>,
  kind: 'phone' | 'email',
): AccountPlan => ({
  channels: CHANNELS.filter(
    (one) => factsOf(one).recipient === kind && !hasFixedText(one) && carriers.has(one),
  ),
  wait_seconds: WAIT_SECONDS.default,
});
