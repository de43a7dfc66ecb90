import type { Otp } from './send-and-verify.ts';
import { sendBatches } from './send-batch.ts';
import { verifyBatches } from './verify-batch.ts';

/**
 * The door of this module: codes are sent, verified, canceled and reported. Other modules import this file only; `app.ts` also
 * imports `routes.ts` and `jobs.ts`.
 */
export { applyChanges } from './change.ts';
export type { DirectDispatch } from './direct-dispatch.ts';
export {
  deleteSendsOf,
  eraseRecipientFromSends,
  forgetRecipient,
  queueTexts,
  sendTexts,
} from './erasure.ts';
export { otpJobs } from './jobs.ts';
export { renderMessage } from './message.ts';
export { accountOfVerification, lockVerifications } from './queries.ts';
export { type QueueStats, queueGauges, queueStats, selectQueues } from './queue-stats.ts';
export { recipientHash } from './recipient.ts';
export { report } from './reports.ts';
export { type ResendApp, requireOpen, resend } from './resend.ts';
export { dispatchClaimHolders, otpRetention } from './retention.ts';
export type { Otp } from './send-and-verify.ts';
export { runSendBatch } from './send-batch.ts';
export { type Usage, usageOf } from './usage.ts';
export { selectNewestStates, selectStatusLogs } from './verification-queries.ts';
export { verificationOf, verificationsOf, webhooksOfVerification } from './verifications.ts';

export function createOtp(app: Parameters<typeof sendBatches>[0]): Otp {
  const sends = sendBatches(app);
  const verifies = verifyBatches(app);
  return {
    send: sends.submit,
    verify: verifies.submit,
    async idle() {
      await sends.idle();
      await verifies.idle();
    },
  };
}
