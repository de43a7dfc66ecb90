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
export { parseHttpInbound, parseHttpStatus } from './http.ts';
export { carrierProblems, carriersOf, carriersSetting, isSender, realCarriers } from './problems.ts';
export { countedCarriers, isPausedBy, type Routing, routedCarriers } from './routing.ts';
export { certificateFault } from './smtp.ts';
export { helloNameOf, smtpOptions } from './smtp-url.ts';
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
export { statusCallback, twilioChannels } from './twilio.ts';
export {
  type Params as TwilioParams,
  parseTwilioInbound,
  parseTwilioStatus,
  twimlReply,
  validTwilioSignature,
} from './twilio-callback.ts';
