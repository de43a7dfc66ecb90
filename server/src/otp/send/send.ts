import type { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type Decided, Replied } from '../../platform/http/serve.ts';
import { type Call, circumstancesOf, idempotencyOfMode, type OtpApp, replayed } from '../call.ts';
import { sendInBatch } from './batch.ts';
import { sendItem } from './item.ts';
import { SENT_STATUS } from './rows.ts';

/** The credits left before the nearest spend limit. */
const SPEND_LEFT = 'X-Spend-Limit-Remaining';

interface SendCall extends Call<Parsed<typeof sendOtp, 'body'>> {
  /** An operator repeats the send, so the request's address and idempotency key are not recorded for the account. */
  isByOperator?: boolean;
}

/**
 * Sends a code with the key of `program`: first the checks that need no database (`item.ts`), then the decision and all rows in
 * one batch (`batch.ts`). Throws the refusal of a send.
 */
export async function send(
  app: OtpApp,
  program: ApiCaller,
  { isByOperator = false, ...call }: SendCall,
): Promise<Replied<Reply<typeof sendOtp>> | Decided> {
  const { reply } = call;
  const item = await sendItem(app, program, call.body);
  const outcome = await sendInBatch(app, {
    ...item,
    ...circumstancesOf(call.request),
    ...(isByOperator
      ? { idempotency: null, ip_address: null }
      : { idempotency: idempotencyOfMode(app, call, program) }),
  });
  if (outcome.kind === 'replayed') return replayed(reply, outcome);
  if (outcome.kind === 'repeated')
    return replayed(reply, { status: SENT_STATUS, body: outcome.outcome.reply });
  if (outcome.kind === 'spend_limit_reached') reply.header(SPEND_LEFT, '0');
  if (outcome.kind !== 'accepted') {
    const { kind, ...facts } = outcome;
    throw new Failure(kind, facts);
  }
  if (outcome.spend_left !== null) reply.header(SPEND_LEFT, String(outcome.spend_left));
  return new Replied(outcome.reply, { isLogged: true });
}
