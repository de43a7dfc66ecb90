import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Channel, factsOf } from '#contract/channels.ts';
import { DEFAULT_MESSAGE, type sendOtp, type verifyOtp } from '#contract/otp.ts';
import type { Parsed, Reply } from '#contract/route.ts';
import { anyCode, renderSms, smsSegments, smsTooLong } from '#contract/sms-segments.ts';
import type { LimitsOfAccounts } from '../account-limits/account-limits.ts';
import type { ApiCaller } from '../api-keys/api-keys.ts';
import type { Carriers } from '../carriers/carriers.ts';
import { type Idempotency, idempotencyOf } from '../idempotency/idempotency.ts';
import { requireListedLinks } from '../message-links/message-links.ts';
import { optOutHexes } from '../opt-outs/opt-outs.ts';
import { asciiDigits } from '../platform/digits.ts';
import { addressOf } from '../platform/http/client-address.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import { Decided } from '../platform/http/serve.ts';
import type { Platform } from '../platform/platform.ts';
import { isUuid } from '../platform/random.ts';
import type { SendPrices } from '../prices/prices.ts';
import { type Destination, destinationOf, type Protection } from '../protection/protection.ts';
import { normaliseRecipient, recipientHash } from './recipient.ts';
import { SENT_STATUS, sendFailure, verifyResponse } from './responses.ts';
import type { SendItem, SendOutcome } from './send-decision.ts';
import { isComparison, type VerifyItem, type VerifyResult } from './verify-decision.ts';

/** Decides sends and verifies in batches. Both resolve after the commit of their batch. */
export interface Otp {
  send(item: SendItem): Promise<SendOutcome>;
  verify(item: VerifyItem): Promise<VerifyResult>;
  /** Resolves when no batch is waiting or in flight. */
  idle(): Promise<void>;
}

export type OtpApp = Platform & {
  /** counts delivery reports for the operators' overview */
  activity: { count(kind: 'delivered' | 'undelivered'): void };
  otp: Otp;
  protection: Protection;
  carriers: Carriers;
  prices: SendPrices;
  accountLimits: LimitsOfAccounts;
};

/** The credits that the nearest spend limit leaves. */
const SPEND_LEFT = 'X-Spend-Limit-Remaining';

interface Given<B> {
  body: B;
  request: FastifyRequest;
  reply: FastifyReply;
  /** An operator repeats a send: the account gets neither the address nor the idempotency key of the request. */
  isByOperator?: boolean;
}

/** Sends a code with the key of `program`. */
export async function sendAs(
  app: OtpApp,
  program: ApiCaller,
  { body, request, reply, isByOperator = false }: Given<Parsed<typeof sendOtp, 'body'>>,
): Promise<Reply<typeof sendOtp> | Decided> {
  const { channel } = body;
  const { label, format, obeysOptOut, recipient: addressing } = factsOf(channel);
  if (!app.carriers.has(channel))
    throw new FieldErrors({ channel: [`${label} is not available on this service.`] });
  const { is_test } = program;
  const limits = is_test ? undefined : app.accountLimits.of(program.account_id);
  const { recipient, country } = normaliseRecipient(app, channel, body.recipient, {
    is_test,
    countries: limits?.countries,
  });
  if (format !== 'speech' && hasOwnText(program, body)) await requireListed(app, program, body);
  const segments = format === 'text' ? segmentsOf(app, body.message, program) : null;
  const outcome = await app.otp.send({
    account_id: program.account_id,
    api_key_id: program.api_key_id,
    id: app.random.uuid(),
    log_id: request.id,
    channel,
    recipient,
    country,
    recipient_hash: is_test ? null : recipientHash(app, recipient),
    message: body.message ?? null,
    subject: format === 'mail' ? (body.subject ?? null) : null,
    segments,
    cost_credits: is_test ? 0 : app.prices.costOf({ channel, country, segments }),
    expires_in: body.expires_in ?? program.default_expiry_seconds,
    code_length: program.default_otp_length,
    destination:
      is_test || addressing === 'email'
        ? null
        : guardedDestination(app, program.account_id, destinationOf(recipient, body.client_ip ?? null)),
    opt_out: obeysOptOut && !is_test ? optOutHexes(app, recipient) : null,
    idempotency: isByOperator ? null : ofMode(idempotencyOf(app, request, body), is_test),
    is_test,
    account_limits: limits ?? null,
    texts: program,
    ...circumstances(request),
    ...(isByOperator ? { ip_address: null } : {}),
  });
  if (outcome.kind === 'replayed') return replayed(reply, outcome);
  if (outcome.kind === 'repeated')
    return replayed(reply, { status: SENT_STATUS, body: outcome.outcome.reply });
  if (outcome.kind === 'spend_limit_reached') reply.header(SPEND_LEFT, '0');
  if (outcome.kind === 'destination_blocked') request.blockedBy = outcome.blocked_by;
  if (outcome.kind !== 'accepted') throw sendFailure(outcome);
  if (outcome.spend_left !== null) reply.header(SPEND_LEFT, String(outcome.spend_left));
  request.isLogged = true;
  return outcome.reply;
}

/** The rules leave out a trusted account, but no deny list does. */
export function guardedDestination(
  { accountLimits, protection, clock }: Pick<OtpApp, 'accountLimits' | 'protection' | 'clock'>,
  account_id: string,
  to: Destination | undefined,
): Destination | null {
  if (!to) return null;
  if (!accountLimits.of(account_id)?.is_trusted) return to;
  return protection.guard.denies({ account_id, to, now_ms: clock.now().getTime() }) ? to : null;
}

/** Verifies a code with the key of `program`. */
export async function verifyAs(
  app: OtpApp,
  program: ApiCaller,
  { body, request, reply }: Given<Parsed<typeof verifyOtp, 'body'>>,
): Promise<Decided> {
  if (!isUuid(body.otp_id)) throw new Failure('otp_not_found');
  const { outcome, about } = await app.otp.verify({
    account_id: program.account_id,
    api_key_id: program.api_key_id,
    otp_id: body.otp_id.toLowerCase(),
    code: typeof body.code === 'number' ? body.code : asciiDigits(body.code),
    log_id: request.id,
    idempotency: ofMode(idempotencyOf(app, request, body), program.is_test),
    is_test: program.is_test,
    ...circumstances(request),
  });
  const response = verifyResponse(outcome);
  request.isLogged = isComparison(outcome);
  request.about = about;
  request.refusal = response.reason;
  if (outcome.kind === 'replayed' || outcome.kind === 'repeated') return replayed(reply, response);
  return decided(response);
}

/** Test and live requests may use the same `Idempotency-Key`. */
const ofMode = (idempotency: Idempotency | null, is_test: boolean): Idempotency | null =>
  idempotency && is_test ? { ...idempotency, key: `${idempotency.key}${TEST_SUFFIX}` } : idempotency;
/** Hex, as the key. */
const TEST_SUFFIX = '74';

const circumstances = (request: FastifyRequest) => ({
  ip_address: addressOf(request),
  started_ms: request.startedMs,
});

/** Whether the message is more than the product's default, which links to nothing. */
const hasOwnText = (
  { default_message, default_subject, sender_name }: ApiCaller,
  { message, subject }: { message?: string | undefined; subject?: string | undefined },
): boolean => Boolean(message || subject || default_message || default_subject || sender_name);

/** Throws a field error if the message, subject or sender name that the recipient gets links to a domain that the account has not proven. */
async function requireListed(
  app: OtpApp,
  { account_id, default_message, default_subject, sender_name }: ApiCaller,
  {
    channel,
    message,
    subject,
  }: { channel: Channel; message?: string | undefined; subject?: string | undefined },
): Promise<void> {
  const isMail = factsOf(channel).format === 'mail';
  await requireListedLinks(app, account_id, { message, ...(isMail ? { subject } : {}) });
  await requireListedLinks(
    app,
    account_id,
    {
      message: message === undefined ? default_message : '',
      ...(isMail && subject === undefined ? { subject: default_subject } : {}),
    },
    "The account's default",
  );
  await requireListedLinks(app, account_id, { sender_name }, "The account's sender name");
}

/** Throws a field error if the text, or else the account's default text, needs more segments than allowed. */
function segmentsOf(app: OtpApp, message: string | undefined, program: ApiCaller): number {
  const template = message ?? (program.default_message || DEFAULT_MESSAGE);
  const text = renderSms(template, anyCode(program.default_otp_length));
  const segments = message === undefined ? segmentsOfDefault(text) : smsSegments(text);
  if (segments <= app.config.smsMaxSegments) return segments;
  const what = message === undefined ? "The account's default message" : undefined;
  throw new FieldErrors({ message: [smsTooLong(text, app.config.smsMaxSegments, what) ?? ''] });
}

/** Default texts are few, and counting the segments of one takes longer than most checks of a send. */
const segmentsOfDefaults = new Map<string, number>();
const DEFAULTS_MAX = 1_000;

function segmentsOfDefault(text: string): number {
  const known = segmentsOfDefaults.get(text);
  if (known !== undefined) return known;
  if (segmentsOfDefaults.size >= DEFAULTS_MAX) segmentsOfDefaults.clear();
  const segments = smsSegments(text);
  segmentsOfDefaults.set(text, segments);
  return segments;
}

const decided = ({ status, body }: { status: number; body: unknown }) => new Decided(status, body);

const replayed = (reply: FastifyReply, response: { status: number; body: unknown }): Decided => {
  reply.header('Idempotent-Replayed', 'true');
  return decided(response);
};
