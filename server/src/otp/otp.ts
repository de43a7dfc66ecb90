import { sendOtp, verifyOtp } from '#contract/otp.ts';
import { sendBatches } from './send-batch.ts';
import type { SendItem, SendOutcome } from './send-decision.ts';
import { verifyBatches } from './verify-batch.ts';
import type { VerifyItem, VerifyResult } from './verify-decision.ts';

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
export { dispatchClaimHolders, otpRetention } from './retention.ts';
export { runSendBatch } from './send-batch.ts';
export { type Usage, usageOf } from './usage.ts';
export { selectNewestStates, selectStatusLogs } from './verification-queries.ts';
export { verificationOf, verificationsOf } from './verifications.ts';

/**
 * Decides sends and verifies in batches. Both resolve after the commit of their batch, with undefined for an item whose request
 * was not admitted.
 */
export interface Otp {
  send(item: SendItem): Promise<SendOutcome | undefined>;
  verify(item: VerifyItem): Promise<VerifyResult | undefined>;
  /** Whether a request of this route would be in a batch that starts at once. False for routes without batches. */
  startsAtOnce(route: string): boolean;
  /** Resolves when no batch is waiting or in flight. */
  idle(): Promise<void>;
}

export function createOtp(app: Parameters<typeof sendBatches>[0]): Otp {
  const sends = sendBatches(app);
  const verifies = verifyBatches(app);
  const batches: Record<string, { isBusy: boolean }> = { [sendOtp.name]: sends, [verifyOtp.name]: verifies };
  return {
    send: sends.submit,
    verify: verifies.submit,
    startsAtOnce: (route) => batches[route]?.isBusy === false,
    async idle() {
      await sends.idle();
      await verifies.idle();
    },
  };
}
