/**
 * The meaning of Twilio's error codes, in refusals and delivery reports. An unlisted code is a permanent refusal by Twilio,
 * and another carrier may try. Messages with `temporary` codes are retried.
 */
export interface TwilioFault {
  reason: string;
  /** Without a full stop: the error code follows. Twilio's own text is omitted because it may quote the message. */
  sentence: string;
  unsubscribed?: true;
  final?: true;
  rest?: true;
  temporary?: true;
}

const recipient = (reason: string, sentence: string): TwilioFault => ({ reason, sentence, final: true });
const setup = (sentence: string): TwilioFault => ({ reason: 'carrier_misconfigured', sentence, rest: true });
const trouble = (reason: string, sentence: string): TwilioFault => ({
  reason,
  sentence,
  rest: true,
  temporary: true,
});

const invalidNumber = recipient('invalid_recipient', 'The number is not valid');
const notMobile = recipient('not_a_mobile_number', 'The number cannot receive SMS');
const senderUnusable = setup('The sender is not set up for this account');

const faults: Record<number, TwilioFault> = {
  13223: invalidNumber,
  13224: invalidNumber,
  13227: { reason: 'region_not_enabled', sentence: 'Calls to this region are not enabled at the carrier' },
  20003: { reason: 'carrier_unauthorized', sentence: 'Twilio refused the account or its token', rest: true },
  20005: setup('The Twilio account is not active'),
  20404: setup('Twilio has no such account or sender'),
  20429: trouble('rate_limited', 'Twilio limits the rate of messages'),
  21210: senderUnusable,
  21211: invalidNumber,
  21212: senderUnusable,
  21214: recipient('unreachable_recipient', 'The number cannot be reached'),
  21215: { reason: 'region_not_enabled', sentence: 'Calls to this region are not enabled at the carrier' },
  21217: invalidNumber,
  21219: setup('A trial account reaches verified numbers only'),
  21401: invalidNumber,
  21407: notMobile,
  21408: { reason: 'region_not_enabled', sentence: 'SMS to this region are not enabled at the carrier' },
  21421: invalidNumber,
  21609: setup(
    'Twilio refused the address for delivery reports: PUBLIC_URL (or API_URL) must be an address that Twilio can reach',
  ),
  21603: senderUnusable,
  21606: senderUnusable,
  21608: setup('A trial account reaches verified numbers only'),
  21610: {
    reason: 'unsubscribed',
    sentence: 'The recipient has unsubscribed from this sender',
    unsubscribed: true,
    final: true,
  },
  21611: trouble('carrier_queue_full', 'The queue of this sender is full'),
  21612: { reason: 'unroutable', sentence: 'The carrier has no route from this sender to the number' },
  21614: notMobile,
  21635: notMobile,
  21659: senderUnusable,
  21660: senderUnusable,
  21701: senderUnusable,
  21703: senderUnusable,
  30001: trouble('carrier_queue_full', 'The queue of this sender is full'),
  30002: setup('The Twilio account is suspended'),
  30003: { reason: 'unreachable_handset', sentence: 'The handset is switched off or out of reach' },
  30004: recipient('blocked', 'The message was blocked for this recipient'),
  30005: recipient('unknown_recipient', 'The number is unknown or no longer in service'),
  30006: recipient('landline_or_unreachable', 'The number is a landline or cannot be reached'),
  30007: recipient('filtered', 'The mobile network filtered the message'),
  30008: { reason: 'undelivered', sentence: 'The mobile network gave no reason' },
  30022: trouble('rate_limited', 'The mobile network limits the rate of messages'),
  30034: setup('The sender is not registered with the mobile networks'),
  30036: { reason: 'expired_at_carrier', sentence: 'The carrier could not send it before it expired' },
  30023: setup('The daily limit of the sender is used up'),
  30410: trouble('carrier_timeout', 'The mobile network did not respond to Twilio in time'),
  30500: trouble('carrier_error', 'Twilio reported an internal error'),
  63038: setup('The daily limit of the Twilio account is used up'),
};

/** Undefined for an unlisted code and for 0 (no error). */
export function messageFault(errorCode: number): TwilioFault | undefined {
  return Object.hasOwn(faults, errorCode) ? faults[errorCode] : undefined;
}
