import { FieldErrors } from '../../platform/http/failure.ts';
import { codeIn } from '../code-in-text.ts';
import { type Fields, formOrJson, textIn } from '../reading.ts';
import {
  anyOf,
  basicOf,
  equalTexts,
  type Inbound,
  json,
  readTextSecret,
  type System,
  textSecret,
} from '../system.ts';

const TOKEN_CHARACTERS = 32;
/** The account's id in the form of Twilio's. */
const accountSid = (connection_id: string): string => `AC${connection_id.replaceAll('-', '')}`;
const messageSid = (otp_id: string): string => `SM${otp_id.replaceAll('-', '')}`;

/** Twilio's error codes. Everything else is 30001, a queue that takes no more messages. */
const CODES: Record<string, number> = {
  invalid_signature: 20003,
  rate_limited: 20429,
  recipient_rate_limited: 20429,
  recipient_opted_out: 21610,
  destination_blocked: 21408,
  invalid_fields: 21211,
  code_missing: 21602,
  insufficient_credits: 20403,
  spend_limit_reached: 20403,
};

const formOf = (request: Inbound): Fields => formOrJson(request);

/** `POST /2010-04-01/Accounts/{AC}/Messages.json`, for systems that speak only to Twilio. */
export const twilioMessages: System = {
  kinds: ['sms'],
  appends: '/2010-04-01/Accounts/:account/Messages.json',
  newSecret: (app) => textSecret(app).slice(0, TOKEN_CHARACTERS),
  readSecret: readTextSecret,
  isFromHead({ headers, params, connection_id }, secrets) {
    const { user, password = '' } = basicOf(headers.authorization) ?? {};
    const sid = accountSid(connection_id);
    return anyOf(secrets, (secret) => equalTexts(password, secret)) && user === sid && params.account === sid;
  },
  read(request) {
    const fields = formOf(request);
    const to = textIn(fields, 'To');
    if (to?.startsWith('whatsapp:'))
      throw new FieldErrors({ To: ['WhatsApp is not available. Enter a phone number.'] });
    const { code, message } = codeIn(textIn(fields, 'Body'), request.code_pattern);
    return [{ recipient: to, code, message }];
  },
  accepted([first], request) {
    const fields = formOf(request);
    const sid = messageSid(first?.otp_id ?? '');
    const account = accountSid(request.connection_id);
    const service = textIn(fields, 'MessagingServiceSid') ?? null;
    return json(201, {
      account_sid: account,
      api_version: '2010-04-01',
      body: textIn(fields, 'Body'),
      date_created: request.now.toUTCString().replace('GMT', '+0000'),
      date_sent: null,
      date_updated: request.now.toUTCString().replace('GMT', '+0000'),
      direction: 'outbound-api',
      error_code: null,
      error_message: null,
      from: textIn(fields, 'From') ?? null,
      messaging_service_sid: service,
      num_media: '0',
      num_segments: String(first?.segments ?? 0),
      price: null,
      price_unit: 'USD',
      sid,
      status: service === null ? 'queued' : 'accepted',
      subresource_uris: { media: `/2010-04-01/Accounts/${account}/Messages/${sid}/Media.json` },
      to: first?.recipient,
      uri: `/2010-04-01/Accounts/${account}/Messages/${sid}.json`,
    });
  },
  refused({ status, reason, sentence, retry_after }) {
    const code = CODES[reason] ?? 30001;
    const more_info = `https://www.twilio.com/docs/errors/${code}`;
    return {
      ...json(status, { code, message: sentence, more_info, status }),
      ...(retry_after === undefined ? {} : { headers: { 'retry-after': String(retry_after) } }),
    };
  },
  settings: ({ connection_id, urlOf, secret }) => [
    { name: 'Base URL of the API', value: urlOf('sms') },
    { name: 'Account SID', value: accountSid(connection_id) },
    { name: 'Auth token', value: secret },
  ],
  play({ connection_id, recipient, code, secret }) {
    const sid = accountSid(connection_id);
    return {
      path: `/2010-04-01/Accounts/${sid}/Messages.json`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({
        To: recipient,
        From: '+15005550006',
        Body: `Your code is ${code}`,
      }).toString(),
    };
  },
};
