import type { verifyOtp } from '@sixdigit/contract/otp.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import type { ApiCaller } from '../../api-keys/api-keys.ts';
import { recipientOf } from '../../platform/addresses/recipient.ts';
import { Decided } from '../../platform/http/answer.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { answerOf } from '../../platform/http/server.ts';
import { isUuid } from '../../platform/security/random.ts';
import { type Call, circumstancesOf, idempotencyOfMode, type OtpApp, replayed } from '../call.ts';
import { stateRecipient } from '../code.ts';
import { findNewestOpen } from '../queries.ts';
import { testNumber } from '../test-mode/test-mode.ts';
import { verifyInBatch } from './batch.ts';
import { isComparison } from './decision.ts';
import { responseTo } from './response.ts';

const NONE = '00000000-0000-0000-0000-000000000000';

/** The recipient's newest open verification in the mode of the key, or an id that none has. Throws a field error. */
async function newestOpenOf(
  app: OtpApp,
  { account_id, is_test }: ApiCaller,
  { recipient: text = '', purpose }: { recipient?: string | undefined; purpose?: string | undefined },
): Promise<string> {
  const recipient = (is_test ? testNumber(text) : undefined) ?? recipientOf(app.config, text);
  if (!recipient) throw new FieldErrors({ recipient: ['Enter a valid phone number or email address.'] });
  const id = await findNewestOpen(
    app.db,
    account_id,
    stateRecipient({ recipient, is_test, own_code: false, purpose }),
  );
  // The batch finds the response to an earlier request before it misses the verification.
  return id ?? NONE;
}

/** Verifies a code with the key of `program`: the decision and all rows in one batch (`batch.ts`). */
export async function verify(
  app: OtpApp,
  program: ApiCaller,
  call: Call<Parsed<typeof verifyOtp, 'body'>>,
): Promise<Decided> {
  const { code } = call.body;
  const otp_id = call.body.otp_id ?? (await newestOpenOf(app, program, call.body));
  if (!isUuid(otp_id)) throw new Failure('otp_not_found');
  const { account_id, api_key_id, is_test } = program;
  const { outcome, about } = await verifyInBatch(app, {
    account_id,
    api_key_id,
    is_test,
    otp_id: otp_id.toLowerCase(),
    code,
    ...circumstancesOf(call.request),
    idempotency: idempotencyOfMode(app, call, program),
  });
  const { status, body: answer, reason } = responseTo(outcome);
  if (!is_test && outcome.kind === 'verified') app.activity.count('verified');
  if (!is_test && outcome.kind === 'invalid_code') app.activity.count('wrong_code');
  const fields = reason === 'invalid_fields' ? (answer as Record<string, string[]>) : undefined;
  const body = fields ? answerOf(new FieldErrors(fields), call.request).body : answer;
  const noted = { reason, about, fields, isLogged: isComparison(outcome) };
  return outcome.kind === 'replayed' || outcome.kind === 'repeated'
    ? replayed(call.reply, { status, body }, noted)
    : new Decided(status, body, noted);
}
