import { createHmac, timingSafeEqual } from 'node:crypto';
import { escapeMarkup } from '../../../mail/mail.ts';
import type { Callbacks, CarrierReport, InboundText } from '../../carrier.ts';
import { messageFault } from './send.ts';

/** Callbacks from Twilio: signature check, delivery reports and inbound texts. */
export const twilioCallbacks: Callbacks = {
  isSigned: ({ url, headers, body }, { auth_token: authToken = '' }) =>
    validTwilioSignature({
      authToken,
      url,
      params: paramsOf(body),
      signature: headers['x-twilio-signature'],
    }),
  namesBy: 'query',
  readReports: (body) => [{ ...parseTwilioStatus(paramsOf(body)), otp_id: null }],
  inbound: {
    read: (body) => [parseTwilioInbound(paramsOf(body)) ?? []].flat(),
    reply: (text) => ({ type: 'text/xml; charset=utf-8', body: twimlReply(text) }),
  },
};

const paramsOf = (body: unknown): Params => (body ?? {}) as Params;

type Params = Record<string, string | string[] | undefined>;

interface TwilioRequest {
  authToken: string;
  /** The full URL that Twilio called, including the query. */
  url: string;
  /** The form fields of the body. */
  params: Params;
  /** The `X-Twilio-Signature` header. */
  signature: string | string[] | undefined;
}

/**
 * Checks Twilio's signature: base64 of HMAC-SHA1 over the URL and the sorted fields, names and values without separators
 * (twilio.com/docs/usage/security). Twilio includes the port for some callbacks and omits it for others, so both forms are
 * valid, as in Twilio's own libraries.
 */
export function validTwilioSignature(request: TwilioRequest): boolean {
  const { authToken, url, params, signature } = request;
  if (authToken === '' || typeof signature !== 'string') return false;
  const given = Buffer.from(signature);
  return spellings(url).some((spelling) => {
    const expected = Buffer.from(twilioSignature(authToken, spelling, params));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

export function twilioSignature(authToken: string, url: string, params: Params): string {
  const fields = Object.keys(params)
    .sort()
    .flatMap((key) => [...new Set([params[key] ?? []].flat())].sort().map((value) => key + value));
  return createHmac('sha1', authToken)
    .update(url + fields.join(''), 'utf8')
    .digest('base64');
}

function spellings(url: string): string[] {
  if (!URL.canParse(url)) return [url];
  const { protocol, port } = new URL(url);
  const [, origin = '', rest = ''] = /^(https?:\/\/[^/?#]*?)(?::\d+)?([/?#].*)?$/i.exec(url) ?? [];
  return [`${origin}${rest}`, `${origin}:${port || (protocol === 'https:' ? 443 : 80)}${rest}`];
}

type TwilioStatusReport = Omit<CarrierReport, 'otp_id'>;

/** Parses a status callback of a message or a call. */
export function parseTwilioStatus(params: Params): TwilioStatusReport {
  const callSid = one(params.CallSid);
  return callSid === undefined ? messageStatus(params) : callStatus(callSid, params);
}

function messageStatus(params: Params): TwilioStatusReport {
  const provider_message_id = one(params.MessageSid) ?? one(params.SmsSid) ?? null;
  const status = (one(params.MessageStatus) ?? one(params.SmsStatus) ?? '').toLowerCase();
  if (status === 'delivered' || status === 'read')
    return { provider_message_id, state: 'delivered', is_read: status === 'read', reason: null };
  if (status === 'undelivered' || status === 'failed' || status === 'canceled') {
    return { provider_message_id, state: 'undelivered', reason: reasonOf(params) ?? status };
  }
  return { provider_message_id, state: status === 'sent' ? 'sent' : 'other', reason: null };
}

function callStatus(provider_message_id: string, params: Params): TwilioStatusReport {
  const status = (one(params.CallStatus) ?? '').toLowerCase();
  // A call that was answered ends as "completed": the code was spoken.
  if (status === 'completed') return { provider_message_id, state: 'delivered', reason: null };
  const reason = unansweredCalls.get(status);
  if (reason === undefined) return { provider_message_id, state: 'other', reason: null };
  return { provider_message_id, state: 'undelivered', reason: reasonOf(params) ?? reason };
}

const unansweredCalls = new Map([
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['failed', 'call_failed'],
  ['canceled', 'call_canceled'],
]);

function reasonOf(params: Params): string | undefined {
  const errorCode = one(params.ErrorCode) ?? '';
  if (!/^\d{4,6}$/.test(errorCode)) return undefined;
  return messageFault(Number(errorCode))?.reason ?? `twilio_${errorCode}`;
}

/** Parses an inbound SMS. Undefined if the fields do not form one. */
export function parseTwilioInbound(params: Params): InboundText | undefined {
  const from = one(params.From);
  if (from === undefined) return undefined;
  const opt_out = optOutTypes.get((one(params.OptOutType) ?? '').toUpperCase());
  return {
    from,
    to: one(params.To) ?? null,
    body: one(params.Body) ?? '',
    ...(opt_out && { opt_out }),
  };
}

/** The keywords recognized by Twilio's Advanced Opt-Out. The owner of the Twilio account configures the words. */
const optOutTypes = new Map<string, NonNullable<InboundText['opt_out']>>([
  ['STOP', 'stop'],
  ['START', 'start'],
  ['HELP', 'help'],
]);

/** The response to an inbound text (`text/xml`). Twilio sends `text` back to the sender. */
export function twimlReply(text?: string): string {
  return text === undefined ? '<Response/>' : `<Response><Message>${escapeMarkup(text)}</Message></Response>`;
}

function one(value: string | string[] | undefined): string | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  return first === '' ? undefined : first;
}
