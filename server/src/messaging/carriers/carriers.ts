/**
 * The door of this module: adapters for carriers. Each implements `Carrier` and never throws. A circuit breaker suspends a
 * carrier that fails.
 */
export { addressKey, hasAddressKey } from './address-key.ts';
export { type Bounce, headOf, isReport, readBounce, recipientsIn } from './bounce.ts';
export { type Breaker, type Breakers, createBreaker, createBreakers } from './breaker.ts';
export {
  type Callbacks,
  type Carrier,
  type CarrierReport,
  dispatchTimeoutMs,
  type FieldValues,
  type InboundText,
  type Message,
  type Outcome,
  type Refused,
  type Signed,
  type SnsHosts,
} from './carrier.ts';
export { checkStored } from './check-stored.ts';
export { type Carriers, createCarriers, type FeedbackCarrier } from './create-carriers.ts';
export { mailSenderName, parseMailbox } from './email-address.ts';
export {
  CARRIER_CHECKS,
  CARRIER_SCHEMAS,
  CARRIER_SECRETS,
  CARRIER_SETTINGS,
  CHOSEN_SECRETS,
  carrierProblems,
  carriersSetting,
  environmentFields,
  expectsCallbacks,
  realCarriers,
} from './environment.ts';
export { readLookupRecord } from './kinds/record/check.ts';
export { checkCompany, prepareStored } from './kinds/record/examine.ts';
export { at, ofKey, short } from './kinds/record/paths.ts';
export { previewOf } from './kinds/record/preview.ts';
export { needsAddressKey, registersReports } from './kinds/record/record.ts';
export { requestOf } from './kinds/record/request.ts';
export { dkimRecord, isDkimSelector, newDkimKey } from './kinds/smtp/dkim.ts';
export { kindOf } from './kinds.ts';
export { beginTest, deleteTest, endTest, lastTests, reportTest, TEST_ACCOUNT } from './last-tests.ts';
export type { MailEvent } from './mail-event.ts';
export { createPoster, type Poster } from './post.ts';
export { reportsProblem } from './reports-problem.ts';
export { countedCarriers, isPausedBy, type Routing, routedCarriers } from './routing.ts';
export { senderFindings, senderWarnings } from './senders.ts';
export { createSnsHosts } from './sns.ts';
export {
  deleteStored,
  findStored,
  insertStored,
  loadStored,
  openSecrets,
  type StoredSetup,
  sealSecrets,
  secondsUntilDrained,
  secretFieldsOf,
  selectStored,
  storedCarrierProblem,
  updateStored,
} from './stored.ts';
