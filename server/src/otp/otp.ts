/**
 * The door of this module: codes are sent, verified, canceled and reported. Other modules import this file only; `app.ts` also
 * imports `routes.ts` and `jobs.ts`.
 */

export type { OtpApp } from './call.ts';
export { cancel } from './cancel.ts';
export { applyChanges } from './change.ts';
export { renderMessage, renderTestMessage, reportTo } from './dispatch/message.ts';
export { countDeliveriesOfCarrier } from './dispatch/queries.ts';
export { type Deliveries, deliveryQueue, queueGauges, queueStats, selectQueues } from './dispatch/queue.ts';
export { type Batches, createBatches } from './group-commit.ts';
export { otpJobs } from './jobs.ts';
export { type MatchingSums, matchingSums } from './list/figures.ts';
export { selectNewestStates, selectStatusLogs } from './list/queries.ts';
export { stepSums } from './list/step-sums.ts';
export { usageOf } from './list/usage.ts';
export { verificationOf, verificationsOf, webhooksOfVerification } from './list/verifications.ts';
export { recordOutcome } from './outcome.ts';
export { createPlanLookups, type PlanLookups } from './plans/lookups.ts';
export { deleteAccountPlans, planClaimHolders } from './plans/queries.ts';
export { accountOfVerification, type SendState, selectRecipient, selectSendStates } from './queries.ts';
export { parseSendBody, relaySend } from './relay.ts';
export { type CarrierCost, selectReportFacts } from './reports/report-facts.ts';
export { report } from './reports/reports.ts';
export { runSendBatch, sendInBatch } from './send/batch.ts';
export { recipientTag } from './send/destination-guard.ts';
export { recipientHash } from './send/item.ts';
export { type ResendApp, requireOpen, resend } from './send/resend.ts';
export type { SendBody } from './send/wording.ts';
export { defaultFacts, factsOf, playWorstDayOf, type WorstDayApp } from './send/worst-day.ts';
export { planOf } from './send/worst-day-plan.ts';
export {
  deleteSendsOf,
  dispatchClaimHolders,
  eraseRecipientFromSends,
  forgetRecipient,
  otpRetention,
  queueTexts,
  sendTexts,
} from './upkeep.ts';
export { verify } from './verify/verify.ts';
