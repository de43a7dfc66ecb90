import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Clock } from '../../platform/clock.ts';
import { isPublicHost } from '../../platform/outbound/address.ts';
import { verificationTwiml } from '../mail/mail.ts';
import type { Carrier, Message, Outcome } from './carrier.ts';
import { createPoster, parsed, unreadable, withoutAnswer, withPause } from './post.ts';
import { messageFault, type TwilioFault } from './twilio-errors.ts';

/** SMS and voice through Twilio's REST API, or any carrier with a compatible API (the base URL is a setting). */
export interface TwilioOptions {
  accountSid: string;
  authToken: string;
  /** A number in E.164, a short code, an alphanumeric sender, or a messaging service (`MG…`). */
  from: string;
  apiUrl?: string | undefined;
  /** Spoken if a message has no sender name. */
  brandName: string;
  clock: Pick<Clock, 'now'>;
  timeoutMs?: number | undefined;
}

const name = 'Twilio';
const API_URL = 'https://api.twilio.com';

/** Only a full number can place calls; a messaging service, a short code or a name cannot. */
export function twilioChannels(from: string): readonly Channel[] {
  return /^\+[1-9]\d{6,14}$/.test(from) ? ['sms', 'voice'] : ['sms'];
}

export function twilioCarrier(options: TwilioOptions): Carrier {
  const { accountSid, authToken } = options;
  const base = (options.apiUrl ?? API_URL).replace(/\/+$/, '');
  const account = `${base}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}`;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  const poster = createPoster();
  return {
    name: 'twilio',
    channels: twilioChannels(options.from),
    async dispatch(message, signal) {
      const isCall = message.channel === 'voice';
      const answer = await poster.post({
        url: new URL(`${account}/${isCall ? 'Calls' : 'Messages'}.json`),
        headers: {
          authorization,
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': `otp:${message.id}`,
        },
        body: (isCall ? call(message, options) : sms(message, options)).toString(),
        signal,
        timeoutMs: options.timeoutMs,
      });
      return answer.kind === 'answered'
        ? withPause(outcome(answer.status, answer.text), answer.retryAfter, options.clock.now())
        : withoutAnswer(name, answer);
    },
    async close() {
      poster.close();
    },
  };
}

function sms(message: Message, { from, clock, apiUrl = API_URL }: TwilioOptions): URLSearchParams {
  const secondsLeft = Math.floor((message.expires_at.getTime() - clock.now().getTime()) / 1000);
  return form({
    To: message.recipient,
    [from.startsWith('MG') ? 'MessagingServiceSid' : 'From']: from,
    Body: message.text,
    // Twilio drops a message that it could not send in this time, so expired codes are not delivered.
    ValidityPeriod: String(Math.min(Math.max(secondsLeft, 1), 14_400)),
    StatusCallback: statusCallback(message.status_url, apiUrl),
  });
}

function call(message: Message, { from, brandName, apiUrl = API_URL }: TwilioOptions): URLSearchParams {
  return form({
    To: message.recipient,
    From: from,
    Twiml: verificationTwiml(message.sender_name ?? brandName, message.code),
    StatusCallback: statusCallback(message.status_url, apiUrl),
  });
}

/**
 * The delivery report URL. Twilio refuses a message whose StatusCallback is not public (21609), so a private URL is omitted,
 * unless the carrier itself is in the private network.
 */
export function statusCallback(statusUrl: string | undefined, apiUrl: string): string | undefined {
  if (statusUrl === undefined || !URL.canParse(statusUrl)) return undefined;
  return isPublicHost(new URL(statusUrl)) || !isPublicHost(new URL(apiUrl)) ? statusUrl : undefined;
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
    // Each message and call has a sid; a response without one came from elsewhere, or was cut off.
    if (typeof body.sid !== 'string' || body.sid === '') return unreadable(name, status);
    return { kind: 'accepted', provider_message_id: body.sid };
  }
  const fault = messageFault(errorCode) ?? statusFault(status, errorCode);
  return refused(fault, errorCode);
}

function refused(fault: TwilioFault, errorCode: number): Outcome {
  const { reason, sentence, ...consequences } = fault;
  const code = errorCode ? ` (Twilio error ${errorCode})` : '';
  return { kind: 'refused', reason, detail: `${sentence}${code}.`, ...consequences };
}

function statusFault(status: number, errorCode: number): TwilioFault {
  if (status === 429 || status === 408 || status === 425) {
    return {
      reason: 'rate_limited',
      sentence: 'Twilio limits the rate of messages',
      rest: true,
      temporary: true,
    };
  }
  if (status >= 500) {
    return {
      reason: 'carrier_error',
      sentence: `Twilio is in trouble (HTTP ${status})`,
      rest: true,
      temporary: true,
    };
  }
  if (status === 401 || status === 403) {
    return {
      reason: 'carrier_unauthorized',
      sentence: 'Twilio refused the account or its token',
      rest: true,
    };
  }
  if (status === 404 || status < 400) {
    return { reason: 'carrier_misconfigured', sentence: `Twilio was not found (HTTP ${status})`, rest: true };
  }
  return {
    reason: errorCode ? `twilio_${errorCode}` : `http_${status}`,
    sentence: 'Twilio refused the message',
  };
}
