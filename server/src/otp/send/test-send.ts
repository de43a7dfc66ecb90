import { sendTestCode, sendVerificationAgain, verifyTestCode } from '@sixdigit/contract/test-send.ts';
import { callerOfKey } from '../../api-keys/api-keys.ts';
import { requireStepUp, type Server, serve } from '../../platform/http/serve.ts';
import { verificationOf } from '../list/verifications.ts';
import { type OtpApp, sendAs, verifyAs } from '../send-and-verify.ts';
import { resendAsOwner } from './resend.ts';

/**
 * Sends and verifies from the dashboard, with a key of the account but without its secret, by the rules of the public API. A live
 * key can cost credits and reach anybody, so it needs a proof of identity, as creating a key does.
 */
export function testSendRoutes(server: Server, app: OtpApp): void {
  serve(server, sendTestCode, async ({ caller, body: { api_key, ...body }, ...call }) => {
    const program = await callerOfKey(app, caller.account_id, api_key, 'otp:send');
    if (!program.is_test) requireStepUp(caller);
    return sendAs(app, program, { ...call, body });
  });
  serve(server, sendVerificationAgain, async ({ caller, params: { id }, ...call }) =>
    resendAsOwner(app, caller, await verificationOf(app, caller.account_id, id), call),
  );
  serve(server, verifyTestCode, async ({ caller, body: { api_key, ...body }, ...call }) => {
    const program = await callerOfKey(app, caller.account_id, api_key, 'otp:verify');
    return verifyAs(app, program, { ...call, body });
  });
}
