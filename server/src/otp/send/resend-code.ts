import { factsOf } from '@sixdigit/contract/channels.ts';
import type { ResendReply, resendOtp } from '@sixdigit/contract/otp.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { Decided, noting, Replied } from '../../platform/http/answer.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { isUuid } from '../../platform/security/random.ts';
import type { Call, OtpApp } from '../call.ts';
import { findResendable, type ResendableRow } from '../queries.ts';
import { sendItem } from './item.ts';
import { sendPrepared } from './send.ts';
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
  const channel = call.body.channel ?? first.channel;
  const about = { otp_id: id, recipient: first.recipient, channel };
  return noting({ about }, async () => {
    const hmac = requireOpen(first);
    if (factsOf(channel).recipient !== factsOf(first.channel).recipient)
      throw new FieldErrors({ channel: ['This channel does not reach the recipient of the verification.'] });
    const item = await sendItem(app, programOf(program, first), bodyOf(first, channel, call.body));
    const expires_ms = Date.parse(first.expires_at);
    const row = {
      ...item.row,
      ...usedTemplate({ ...first, dlt: channel === first.channel ? first.dlt : null }),
      language: first.language ?? undefined,
      max_attempts: first.max_attempts ?? undefined,
      resend_of: id,
    };
    const seconds = Math.max(1, Math.ceil((expires_ms - app.clock.now().getTime()) / 1000));
    const resend = { otp_id: id, hmac, expires_ms };
    const named = { ...call, body: { ...call.body, otp_id: id } };
    const sent = await sendPrepared(app, program, { ...item, row, expires_in: seconds, resend }, named).catch(
      async (error: unknown) => {
        // Its end was faster than this request: find out which one.
        if (error instanceof Failure && error.reason === 'otp_closed')
          requireOpen(await getResendable(app, program, id));
        throw error;
      },
    );
    return sent instanceof Decided ? sent : new Replied(sent.reply as ResendReply, sent.noted);
  });
}

async function getResendable(app: OtpApp, program: ApiCaller, id: string): Promise<ResendableRow> {
  const found = isUuid(id) ? await findResendable(app.db, program, id) : undefined;
  if (!found) throw new Failure('otp_not_found');
  return found;
}

/** Returns the hash of the code. Throws why it no longer verifies. */
function requireOpen({ status, closed_by, is_expired, code_hmac, own_code }: ResendableRow): Buffer {
  if (own_code)
    throw new Failure('own_code', { error: 'The sender made this code, so only the sender can repeat it' });
  if (status === 'verified') throw new Failure('otp_already_verified');
  if (closed_by === 'attempts') throw new Failure('max_attempts_reached');
  if (closed_by) throw new Failure('otp_closed');
  if (is_expired || status === 'expired' || !code_hmac) throw new Failure('otp_expired');
  return code_hmac;
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
