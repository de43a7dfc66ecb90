import { factsOf } from '@sixdigit/contract/channels.ts';
import type { ResendReply, resendOtp } from '@sixdigit/contract/otp.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { Decided, noting, Replied } from '../../platform/http/answer.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { isUuid } from '../../platform/security/random.ts';
import type { Call, OtpApp } from '../call.ts';
import { isOpen, type OpenPlan, progressOf, reasonFor, skip, stepItem } from '../plans/next.ts';
import { isOfChannel } from '../plans/plan.ts';
import { findPlan } from '../plans/queries.ts';
import type { StepText } from '../plans/step.ts';
import { findResendable, type ResendableRow } from '../queries.ts';
import { sendItem } from './item.ts';
import { StepTaken, sendPrepared } from './send.ts';
import { textForResend, usedTemplate } from './wording.ts';

type Body = Parsed<typeof resendOtp, 'body'>;

/**
 * Sends the code of an open verification again. The message is a send of its own, with its price, limits, dispatch and history, which
 * names the verification: callers see one verification with several messages. Its code is the one that the recipient has, so it
 * neither adds attempts nor prolongs it. Throws the refusal of a send, or why the code cannot be repeated.
 */
export async function resendCode(
  app: OtpApp,
  program: ApiCaller,
  otp_id: string,
  call: Call<Body>,
): Promise<Replied<ResendReply> | Decided> {
  const id = otp_id.toLowerCase();
  const first = await getResendable(app, program, id);
  const plan = first.has_plan ? await findPlan(app.db, program.account_id, id) : undefined;
  const { channel: asked } = call.body;
  const texts = plan ? plan.rest.filter(({ channel }) => asked === undefined || channel === asked) : [];
  const channel = asked ?? texts[0]?.channel ?? first.channel;
  const about = { otp_id: id, recipient: first.recipient, channel };
  const named = { ...call, body: { ...call.body, otp_id: id } };
  return noting({ about }, async () => {
    const refusal = refusalOf(first);
    // A repeated request gets its first response although the verification has ended since.
    if (refusal && call.request.headers['idempotency-key'] === undefined) throw refusal;
    try {
      const sent =
        !refusal && plan && isOpen(plan) && texts.length > 0
          ? await sendNextStep(app, program, { plan, texts }, named)
          : await sendAgain(app, program, { first: { ...first, id }, channel, refusal }, named);
      return sent instanceof Decided ? sent : new Replied(sent.reply as ResendReply, sent.noted);
    } catch (error) {
      // The plan has moved on, which it does once per step at most.
      if (error instanceof StepTaken) return resendCode(app, program, id, call);
      if (refusal && error instanceof FieldErrors) throw refusal;
      // Its end was faster than this request: find out which one.
      const isClosed = error instanceof Failure && error.reason === 'otp_closed';
      throw (isClosed && refusalOf(await getResendable(app, program, id))) || error;
    }
  });
}

const NO_CODE = Buffer.alloc(0);

type NamedCall = Call<Body & { otp_id: string }>;

/** Sends the code on a channel that no plan waits for. */
async function sendAgain(
  app: OtpApp,
  program: ApiCaller,
  {
    first,
    channel,
    refusal,
  }: {
    first: ResendableRow & { id: string };
    channel: ResendableRow['channel'];
    refusal: Failure | undefined;
  },
  call: NamedCall,
): ReturnType<typeof sendPrepared> {
  if (factsOf(channel).recipient !== factsOf(first.channel).recipient)
    throw new FieldErrors({ channel: ['This channel does not reach the recipient of the verification.'] });
  const item = await sendItem(app, programOf(program, first), bodyOf(first, channel, call.body));
  const expires_ms = Date.parse(first.expires_at);
  const row = {
    ...item.row,
    ...usedTemplate({ ...first, dlt: channel === first.channel ? first.dlt : null }),
    language: item.row.language ?? first.language ?? undefined,
    max_attempts: first.max_attempts ?? undefined,
    resend_of: first.id,
  };
  const seconds = Math.max(1, Math.ceil((expires_ms - app.clock.now().getTime()) / 1000));
  const resend = { otp_id: first.id, hmac: first.code_hmac ?? NO_CODE, expires_ms };
  const sent = { ...item, row, expires_in: seconds, resend, refusal: refusal ?? item.refusal };
  return sendPrepared(app, program, sent, call);
}

/** Starts the first of these steps that the recipient can get, before its time. Throws the last refusal. */
async function sendNextStep(
  app: OtpApp,
  program: ApiCaller,
  { plan, texts }: { plan: OpenPlan; texts: readonly StepText[] },
  call: NamedCall,
): ReturnType<typeof sendPrepared> {
  let progress = progressOf(plan);
  let refused: unknown;
  for (const text of texts) {
    try {
      const start = { text, progress, because: 'requested', client_ip: call.body.client_ip } as const;
      return await sendPrepared(app, program, await stepItem(app, program, plan, start), call);
    } catch (error) {
      const reason = error instanceof FieldErrors ? reasonFor(app, text) : undefined;
      const refusal = error instanceof Failure && isOfChannel(error.reason) ? error.reason : reason;
      if (refusal === undefined) throw error;
      refused = error;
      progress = skip(app, plan, progress, { channel: text.channel, reason: refusal });
    }
  }
  throw refused;
}

async function getResendable(app: OtpApp, program: ApiCaller, id: string): Promise<ResendableRow> {
  const found = isUuid(id) ? await findResendable(app.db, program, id) : undefined;
  if (!found) throw new Failure('otp_not_found');
  return found;
}

/** Why the code no longer verifies, or cannot be repeated. */
function refusalOf({
  status,
  closed_by,
  is_expired,
  code_hmac,
  own_code,
}: ResendableRow): Failure | undefined {
  if (own_code)
    return new Failure('own_code', { error: 'The sender made this code, so only the sender can repeat it' });
  if (status === 'verified') return new Failure('otp_already_verified');
  if (closed_by === 'attempts') return new Failure('max_attempts_reached');
  if (closed_by) return new Failure('otp_closed');
  return is_expired || status === 'expired' || !code_hmac ? new Failure('otp_expired') : undefined;
}

/** The code has its length already. */
const programOf = (program: ApiCaller, { code_length }: ResendableRow): ApiCaller => ({
  ...program,
  default_otp_length: code_length,
});

const bodyOf = (
  first: ResendableRow,
  channel: ResendableRow['channel'],
  { client_ip }: Body,
): Parameters<typeof sendItem>[2] => ({
  channel,
  recipient: first.recipient,
  ...textForResend(first, channel),
  locale: first.language ?? undefined,
  purpose: first.purpose ?? undefined,
  metadata: first.metadata ?? undefined,
  client_ip: client_ip ?? first.client_ip ?? undefined,
});
