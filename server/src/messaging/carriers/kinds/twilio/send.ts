import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Carrier, FieldValues, Message, Outcome } from '../../carrier.ts';
import {
  type Fault,
  recipientFault,
  refusal,
  setupFault,
  statusFault,
  temporaryFault,
} from '../../faults.ts';
import { parsed, postingCarrier, type Reach, reportAddress, unreadable } from '../../post.ts';
import { isService, senderFor, shownSender } from '../../senders.ts';
import { twimlOf } from './voice.ts';

/** SMS and voice through Twilio's REST API, or any carrier with a compatible API (the base URL is a setting). */
export interface TwilioOptions {
  /** `twilio` unless given */
  name?: string;
  accountSid: string;
  authToken: string;
  /** A number in E.164, a short code, an alphanumeric sender, or a messaging service (`MG…`). */
  from: string;
  /** those of countries and channels */
  senders?: string | undefined;
  apiUrl?: string | undefined;
  clock: Pick<Clock, 'now'>;
  /** Tells Twilio which messages were confirmed by a right code. */
  givesFeedback?: boolean;
  /** all that the sender can serve unless given */
  channels?: readonly Channel[];
  reach?: Reach | undefined;
  timeoutMs?: number | undefined;
}

export const API_URL = 'https://api.twilio.com';

/** Only a full number can place calls; a messaging service, a short code or a name cannot. */
export function twilioChannels(values: FieldValues): readonly Channel[] {
  const caller = senderFor({ channel: 'voice', recipient: '' }, values) ?? '';
  return /^\+[1-9]\d{6,14}$/.test(caller) ? ['sms', 'voice'] : ['sms'];
}

export function twilioCarrier(options: TwilioOptions): Carrier {
  const { accountSid, authToken } = options;
  const base = (options.apiUrl ?? API_URL).replace(/\/+$/, '');
  const account = `${base}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}`;
  const headers = {
    authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const able = twilioChannels(options);
  return postingCarrier({
    name: options.name ?? 'twilio',
    label: 'Twilio',
    channels: options.channels?.filter((channel) => able.includes(channel)) ?? able,
    clock: options.clock,
    reach: options.reach,
    timeoutMs: options.timeoutMs,
    senderFor: (message) => shownSender(senderFor(message, options)),
    request(message) {
      const isCall = message.channel === 'voice';
      return {
        url: new URL(`${account}/${isCall ? 'Calls' : 'Messages'}.json`),
        headers,
        body: (isCall ? call(message, options) : sms(message, options)).toString(),
      };
    },
    outcome,
    words: (text) => parsed(text)?.message,
    feedback: options.givesFeedback
      ? {
          channels: ['sms'],
          needsCode: false,
          request: ({ provider_message_id }) => ({
            url: new URL(`${account}/Messages/${encodeURIComponent(provider_message_id)}/Feedback.json`),
            headers,
            body: form({ Outcome: 'confirmed' }).toString(),
          }),
          outcome: (status) =>
            status >= 200 && status < 300
              ? { kind: 'accepted', provider_message_id: null }
              : refusal(statusFault('Twilio', status)),
        }
      : undefined,
  });
}

function sms(message: Message, options: TwilioOptions): URLSearchParams {
  const { clock, apiUrl = API_URL, givesFeedback } = options;
  const from = senderFor(message, options) ?? '';
  const secondsLeft = Math.floor((message.expires_at.getTime() - clock.now().getTime()) / 1000);
  return form({
    To: message.recipient,
    [isService(from) ? 'MessagingServiceSid' : 'From']: from,
    Body: message.text,
    // Twilio drops messages that it cannot send within this time, so expired codes are not delivered.
    ValidityPeriod: String(Math.min(Math.max(secondsLeft, 1), 14_400)),
    ProvideFeedback: givesFeedback ? 'true' : undefined,
    StatusCallback: reportAddress(message.status_url, apiUrl),
  });
}

function call(message: Message, options: TwilioOptions): URLSearchParams {
  const { apiUrl = API_URL } = options;
  return form({
    To: message.recipient,
    From: senderFor(message, options),
    Twiml: twimlOf(message.script ?? [{ say: message.text }], message.language),
    StatusCallback: reportAddress(message.status_url, apiUrl),
  });
}

function form(fields: Record<string, string | undefined>): URLSearchParams {
  const given = Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1]));
  return new URLSearchParams(given);
}

function outcome(status: number, text: string): Outcome {
  const body = parsed(text) ?? {};
  const isSuccess = status >= 200 && status < 300;
  // Twilio can create and fail a message in one response; a code of null or 0 means no error.
  const errorCode = Number((isSuccess ? body.error_code : body.code) ?? 0);
  if (isSuccess && !errorCode) {
    // Every message and call has a sid. A response without one did not come from the carrier, or was truncated.
    if (typeof body.sid !== 'string' || body.sid === '') return unreadable('Twilio', status);
    return { kind: 'accepted', provider_message_id: body.sid };
  }
  const ownReason = errorCode ? `twilio_${errorCode}` : undefined;
  const fault = messageFault(errorCode) ?? statusFault('Twilio', status, ownReason);
  return refusal(fault, errorCode ? ` (Twilio error ${errorCode})` : '');
}

const invalidNumber = recipientFault('invalid_recipient', 'The number is not valid');
const notMobile = recipientFault('not_a_mobile_number', 'The number cannot receive SMS');
const senderUnusable = setupFault('The sender is not set up for this account');

/**
 * Twilio's error codes in refusals and delivery reports. An unlisted code is a permanent refusal by Twilio, and another carrier
 * may be tried. Messages with `temporary` codes are retried.
 */
const faults: Record<number, Fault> = {
  13223: invalidNumber,
  13224: invalidNumber,
  13227: { reason: 'region_not_enabled', sentence: 'Calls to this region are not enabled at the carrier' },
  20003: setupFault('Twilio refused the account or its token', 'carrier_unauthorized'),
  20005: setupFault('The Twilio account is not active'),
  20404: setupFault('Twilio has no such account or sender'),
  20429: temporaryFault('rate_limited', 'Twilio limits the rate of messages'),
  21210: senderUnusable,
  21211: invalidNumber,
  21212: senderUnusable,
  21214: recipientFault('unreachable_recipient', 'The number cannot be reached'),
  21215: { reason: 'region_not_enabled', sentence: 'Calls to this region are not enabled at the carrier' },
  21217: invalidNumber,
  21219: setupFault('A trial account reaches verified numbers only'),
  21401: invalidNumber,
  21407: notMobile,
  21408: { reason: 'region_not_enabled', sentence: 'SMS to this region are not enabled at the carrier' },
  21421: invalidNumber,
  21609: setupFault(
    'Twilio refused the address for delivery reports: PUBLIC_URL (or API_URL) must be an address that Twilio can reach',
  ),
  21603: senderUnusable,
  21606: senderUnusable,
  21608: setupFault('A trial account reaches verified numbers only'),
  21610: {
    reason: 'unsubscribed',
    sentence: 'The recipient has unsubscribed from this sender',
    unsubscribed: true,
    final: true,
  },
  21611: temporaryFault('carrier_queue_full', 'The queue of this sender is full'),
  21612: { reason: 'unroutable', sentence: 'The carrier has no route from this sender to the number' },
  21614: notMobile,
  21635: notMobile,
  21659: senderUnusable,
  21660: senderUnusable,
  21701: senderUnusable,
  21703: senderUnusable,
  30001: temporaryFault('carrier_queue_full', 'The queue of this sender is full'),
  30002: setupFault('The Twilio account is suspended'),
  30003: { reason: 'unreachable_handset', sentence: 'The handset is switched off or out of reach' },
  30004: recipientFault('blocked', 'The message was blocked for this recipient'),
  30005: recipientFault('unknown_recipient', 'The number is unknown or no longer in service'),
  30006: recipientFault('landline_or_unreachable', 'The number is a landline or cannot be reached'),
  30007: recipientFault('filtered', 'The mobile network filtered the message'),
  30008: { reason: 'undelivered', sentence: 'The mobile network gave no reason' },
  30022: temporaryFault('rate_limited', 'The mobile network limits the rate of messages'),
  30034: setupFault('The sender is not registered with the mobile networks'),
  30036: { reason: 'expired_at_carrier', sentence: 'The carrier could not send it before it expired' },
  30023: setupFault('The daily limit of the sender is used up'),
  30410: temporaryFault('carrier_timeout', 'The mobile network did not respond to Twilio in time'),
  30500: temporaryFault('carrier_error', 'Twilio reported an internal error'),
  63038: setupFault('The daily limit of the Twilio account is used up'),
};

/** Undefined for an unlisted code and for 0 (no error). */
export function messageFault(errorCode: number): Fault | undefined {
  return Object.hasOwn(faults, errorCode) ? faults[errorCode] : undefined;
}
