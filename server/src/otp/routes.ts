import { cancelOtp, getOtp, reportOutcome, resendOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { createChallenge } from '@sixdigit/contract/proof.ts';
import type { ApiCaller } from '../api-keys/api-keys.ts';
import { addressOf } from '../platform/http/client-address.ts';
import { Failure } from '../platform/http/failure.ts';
import { type KeyCaller, type Server, serve } from '../platform/http/serve.ts';
import { isUuid } from '../platform/security/random.ts';
import type { OtpApp } from './call.ts';
import { cancel } from './cancel.ts';
import { recipientRoutes } from './list/recipient.ts';
import { verificationRoutes } from './list/verifications.ts';
import { recordOutcome } from './outcome.ts';
import { sendPlanned } from './plans/plan.ts';
import { planRoutes } from './plans/settings.ts';
import { bounceRoutes } from './reports/bounce-routes.ts';
import { carrierRoutes } from './reports/carrier-routes.ts';
import { backTestRoutes } from './send/back-test.ts';
import { checkRoutes } from './send/check-destination.ts';
import { challengeFor, checkProof } from './send/proof.ts';
import { testSendRoutes } from './send/resend.ts';
import { resendCode } from './send/resend-code.ts';
import { worstDayRoutes } from './send/worst-day.ts';
import { findOtpState } from './state.ts';
import { verify } from './verify/verify.ts';

export function otpRoutes(server: Server, app: OtpApp): void {
  carrierRoutes(server, app);
  bounceRoutes(server, app);
  verificationRoutes(server, app);
  recipientRoutes(server, app);
  checkRoutes(server, app);
  backTestRoutes(server, app);
  worstDayRoutes(server, app);
  testSendRoutes(server, app);
  serve(server, sendOtp, ({ caller, ...call }) =>
    sendPlanned(app, caller as ApiCaller, checkProof(app, caller as ApiCaller, call)),
  );
  serve(server, createChallenge, ({ caller, body }) => challengeFor(app, caller as ApiCaller, body));
  planRoutes(server, app);
  serve(server, verifyOtp, (call) => verify(app, call.caller as ApiCaller, call));

  serve(server, getOtp, async ({ params, caller }) => {
    const state = isUuid(params.otp_id) && (await findOtpState(app.db, callerOf(caller), params.otp_id));
    if (!state) throw new Failure('otp_not_found');
    return state;
  });

  serve(server, resendOtp, ({ params, caller, ...call }) =>
    resendCode(app, caller as ApiCaller, params.otp_id, call),
  );

  serve(server, reportOutcome, ({ params, caller, body }) =>
    recordOutcome(app, callerOf(caller), params.otp_id, body.verified),
  );

  serve(server, cancelOtp, async ({ params, caller, request }) => {
    if (!isUuid(params.otp_id)) throw new Failure('otp_not_found');
    await cancel(app, {
      ...callerOf(caller),
      otp_id: params.otp_id.toLowerCase(),
      ip: addressOf(request),
    });
    const state = await findOtpState(app.db, callerOf(caller), params.otp_id);
    if (!state) throw new Failure('otp_not_found');
    return state;
  });
}

const isTest = (caller: KeyCaller): boolean => (caller as ApiCaller).is_test;

const callerOf = (caller: KeyCaller) => ({ account_id: caller.account_id, is_test: isTest(caller) });
