import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import type { sendOtp } from '@sixdigit/contract/otp.ts';
import { AUTO, WAIT_SECONDS } from '@sixdigit/contract/plan-fields.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { normalisePhone } from '../../platform/addresses/phone.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { OtpApp } from '../call.ts';
import { type SendItem, sendItem } from '../send/item.ts';
import { type SendCall, send, sendPrepared } from '../send/send.ts';
import type { SendBody } from '../send/wording.ts';
import { isKnownUnreachable } from '../unreachable.ts';
import { type AccountPlan, findAccountPlans } from './queries.ts';
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
  const plan = await planOf(app, program, { ...call.body, channels });
  const items: Prepared[] = [];
  for (const one of plan.channels) items.push(await preparedFor(app, program, rest, one));
  const refusal = items.find((one) => one.item?.refusal)?.item?.refusal;
  const steps: StoredStep[] = items.map((one) => one.step);
  let refused: unknown;
  for (const [n, { item }] of items.entries()) {
    if (!item) continue;
    const later = items.slice(n + 1).flatMap((one) => (one.item ? [textOf(one.item)] : []));
    const stored = steps.map((step, place) => (place === n ? { channel: step.channel, id: item.id } : step));
    const planned: SendItem['plan'] = {
      channels: plan.channels,
      rest: later,
      wait_seconds: plan.wait_seconds,
    };
    const row = { ...item.row, plan: { step: n + 1, steps: stored } };
    try {
      return await sendPrepared(app, program, { ...item, row, plan: planned, refusal }, call);
    } catch (error) {
      if (!(error instanceof Failure) || !isOfChannel(error.reason)) throw error;
      refused ??= error;
      steps[n] = {
        channel: item.channel,
        skipped: error.reason,
        at: app.clock.now().toISOString(),
      };
    }
  }
  throw (
    refused ?? new FieldErrors({ channels: ['No channel of the plan reaches the recipient with this text.'] })
  );
}

interface Prepared {
  step: StoredStep;
  item?: Awaited<ReturnType<typeof sendItem>>;
}

/** Whether a company shows a text of its own in place of the sender's. */
const hasFixedText = (channel: Channel): boolean => factsOf(channel).format === 'fixed';

async function preparedFor(
  app: OtpApp,
  program: ApiCaller,
  { app_hash, domain, ...body }: Omit<SendBody, 'channel'>,
  channel: Channel,
): Promise<Prepared> {
  if (!hasFixedText(channel))
    return { step: { channel }, item: await sendItem(app, program, { ...body, app_hash, domain, channel }) };
  if ([body.message, body.subject, body.template].some((text) => text !== undefined))
    return skippedFor(app, channel, 'own_text');
  const item = await sendItem(app, program, { ...body, channel });
  return (await isKnownUnreachable(app, item))
    ? skippedFor(app, channel, 'unreachable')
    : { step: { channel }, item };
}

const skippedFor = ({ clock }: Pick<OtpApp, 'clock'>, channel: Channel, skipped: string): Prepared => ({
  step: { channel, skipped, at: clock.now().toISOString() },
});

/** What the step needs when it starts. */
const textOf = ({ channel, segments, row }: Pick<SendItem, 'channel' | 'segments' | 'row'>): StepText => ({
  channel,
  segments,
  message: row.message,
  subject: row.subject,
  language: row.language,
  template: row.template,
  template_version: row.template_version,
  dlt: row.dlt,
});

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
  if (channels === AUTO) {
    const plan = await autoPlan(app, program, recipient);
    return { ...plan, wait_seconds: wait_seconds ?? plan.wait_seconds };
  }
  const missing = channels.filter((one) => !app.carriers.has(one));
  if (missing.length > 0)
    throw new FieldErrors({
      channels: missing.map((one) => `${factsOf(one).label} is not available on this service.`),
    });
  const even = Math.max(WAIT_SECONDS.min, Math.floor(life / channels.length));
  return { channels, wait_seconds: wait_seconds ?? Math.min(WAIT_SECONDS.default, even) };
}

/** The account's plan for the recipient, without channels that the service does not have. Throws a field error if none is left. */
async function autoPlan(app: OtpApp, { account_id }: ApiCaller, recipient: string): Promise<AccountPlan> {
  const isEmail = recipient.includes('@');
  const plans = isEmail ? undefined : await findAccountPlans(app.db, account_id);
  const country = isEmail ? undefined : normalisePhone(recipient, app.config)?.country;
  const own = plans?.countries.find((one) => one.country === country) ?? plans?.default;
  const { channels, wait_seconds } = own ?? builtInPlan(app, isEmail ? 'email' : 'phone');
  const available = channels.filter((one) => app.carriers.has(one));
  if (available.length === 0)
    throw new FieldErrors({ channels: ['No channel for this recipient is available on this service.'] });
  return { channels: available, wait_seconds };
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
