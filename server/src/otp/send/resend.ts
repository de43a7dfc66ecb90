import type { ApiScope } from '@sixdigit/contract/api-keys.ts';
import { mostAttempts } from '@sixdigit/contract/guessing.ts';
import type { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { sendTestCode, sendVerificationAgain, verifyTestCode } from '@sixdigit/contract/test-send.ts';
import { type ApiCaller, callerOfKey, requireKeyRole } from '../../api-keys/api-keys.ts';
import { Decided } from '../../platform/http/answer.ts';
import { Failure } from '../../platform/http/failure.ts';
import { requireStepUp, type Server, serve, type UserCaller } from '../../platform/http/serve.ts';
import type { Call, OtpApp } from '../call.ts';
import type { StoredVerification } from '../list/queries.ts';
import { verificationOf } from '../list/verifications.ts';
import { sendPlanned } from '../plans/plan.ts';
import { findCancelable } from '../queries.ts';
import { verify } from '../verify/verify.ts';
import { send } from './send.ts';

export type ResendApp = OtpApp;
type Asked = Pick<Call<never>, 'request' | 'reply'>;

/** Throws the reason if a verification no longer accepts its code. */
export async function requireOpen(app: Pick<OtpApp, 'db'>, account_id: string, id: string): Promise<void> {
  const now = await app.db.transaction((tx) => findCancelable(tx, account_id, id));
  if (!now) throw new Failure('not_found');
  if (now.status === 'verified') throw new Failure('otp_already_verified');
  if (now.closed_by || now.status === 'failed') throw new Failure('otp_closed');
  if (now.is_expired || now.status === 'expired') throw new Failure('otp_expired');
}

/**
 * Failures of the key, not of the caller: it was deleted, has expired or lacks the scope. The caller's own credentials are
 * valid, so the status is not 401.
 */
const OF_KEYS: ReadonlySet<string> = new Set(['not_found', 'api_key_expired', 'missing_scope']);

/** The key that sent a verification. Throws `api_key_unusable` if it cannot send any more. */
const keyOf = (app: ResendApp, account_id: string, otp: StoredVerification): Promise<ApiCaller> =>
  callerOfKey(app, account_id, otp.api_key.id, 'otp:send').catch((error: unknown) => {
    throw error instanceof Failure && OF_KEYS.has(error.reason) ? new Failure('api_key_unusable') : error;
  });

/** Throws `own_code` if only the sender can make another code. */
function requireOurCode({ own_code }: StoredVerification): void {
  if (own_code) throw new Failure('own_code', { error: OWN_CODE });
}

const OWN_CODE = 'The sender made this code, so only the sender can send another one';

/** The length and the attempts of the code, within the account's limits of today. */
function guessesOf({ code_length, max_attempts }: StoredVerification, { default_otp_length }: ApiCaller) {
  const length = Math.max(code_length, default_otp_length);
  return {
    code_length: length === default_otp_length ? undefined : length,
    max_attempts: max_attempts ? Math.min(max_attempts, mostAttempts(length, default_otp_length)) : undefined,
  };
}

const bodyOf = (otp: StoredVerification, program: ApiCaller) => ({
  channel: otp.channel,
  recipient: otp.recipient,
  message: otp.message ?? undefined,
  subject: otp.subject ?? undefined,
  locale: otp.language ?? undefined,
  purpose: otp.purpose ?? undefined,
  metadata: otp.metadata ?? undefined,
  ...guessesOf(otp, program),
});

/**
 * Sends another code to a verification's recipient, with the same key and text, under the same rules and limits and at the same
 * price. While the verification is open, the new code verifies both.
 */
export async function resendAsOwner(
  app: ResendApp,
  caller: UserCaller,
  otp: StoredVerification,
  call: Asked,
): ReturnType<typeof send> {
  requireOurCode(otp);
  const program = await keyOf(app, caller.account_id, otp);
  if (!program.is_test) requireStepUp(caller);
  return send(app, program, { ...call, body: bodyOf(otp, program), template: otp });
}

/** Like `resendAsOwner`, but for an operator: the history does not show the caller's address. Call `requireOpen` first. */
export async function resend(
  app: ResendApp,
  account_id: string,
  otp: StoredVerification,
  call: Asked,
): Promise<Reply<typeof sendOtp>> {
  requireOurCode(otp);
  const program = await keyOf(app, account_id, otp);
  const sent = await send(app, program, {
    ...call,
    body: bodyOf(otp, program),
    template: otp,
    isByOperator: true,
  });
  if (sent instanceof Decided) throw new Error('Replayed without an idempotency key');
  return sent.reply;
}

/**
 * Sends and verifies from the dashboard, with a key of the account but without its secret, by the rules of the public API. A
 * live key can spend credits and reach any recipient, so its use needs the same role and proof of identity as creating one.
 */
export function testSendRoutes(server: Server, app: OtpApp): void {
  const keyFor = async (caller: UserCaller, api_key: string, scope: ApiScope): Promise<ApiCaller> => {
    const program = await callerOfKey(app, caller.account_id, api_key, scope);
    await requireKeyRole(app.db, caller, program.is_test ? 'test' : 'live');
    return program;
  };
  serve(server, sendTestCode, async ({ caller, body: { api_key, ...body }, ...call }) => {
    const program = await keyFor(caller, api_key, 'otp:send');
    if (!program.is_test) requireStepUp(caller);
    return sendPlanned(app, program, { ...call, body });
  });
  serve(server, sendVerificationAgain, async ({ caller, params: { id }, ...call }) =>
    resendAsOwner(app, caller, await verificationOf(app, caller.account_id, id), call),
  );
  serve(server, verifyTestCode, async ({ caller, body: { api_key, ...body }, ...call }) => {
    const program = await keyFor(caller, api_key, 'otp:verify');
    return verify(app, program, { ...call, body });
  });
}
