/**
 * The door of this module: adapters for carriers. Each implements `Carrier` and never throws. A circuit breaker suspends a
 * carrier that fails.
 */
export { type AdmittedCall, type Breakers, createBreakers } from './breaker.ts';
export {
  type Accepted,
  type Carrier,
  dispatchTimeoutMs,
  type InboundText,
  type Message,
  type Outcome,
  type Refused,
} from './carrier.ts';
export { type CarrierOptions, type Carriers, createCarriers, type StoredCarrier } from './create-carriers.ts';
export { type Mailbox, mailSenderName, parseMailbox } from './email-address.ts';
export { checkHttpCarrier } from './kinds/http/examine.ts';
export { parseHttpInbound, parseHttpStatus } from './kinds/http/send.ts';
export { checkMail } from './kinds/smtp/examine.ts';
export { certificateFault } from './kinds/smtp/send.ts';
export { helloNameOf, smtpOptions } from './kinds/smtp/url.ts';
export {
  type Params as TwilioParams,
  parseTwilioInbound,
  parseTwilioStatus,
  twimlReply,
  validTwilioSignature,
} from './kinds/twilio/callbacks.ts';
export { checkTwilio } from './kinds/twilio/examine.ts';
export { statusCallback, twilioChannels } from './kinds/twilio/send.ts';
export { carrierProblems, carriersOf, carriersSetting, isSender, realCarriers } from './problems.ts';
export { countedCarriers, isPausedBy, type Routing, routedCarriers } from './routing.ts';
export {
  deleteStored,
  type FieldValues,
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
