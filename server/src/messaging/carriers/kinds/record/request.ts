import type { CarrierRecord, LookupRecord } from '@sixdigit/contract/operator/carrier-record.ts';
import type { FieldValues, Message, RightCode } from '../../carrier.ts';
import { mailboxText, parseMailbox, type SenderNames, senderOf, undecoded } from '../../email-address.ts';
import { aws4Headers } from './aws4.ts';
import { filled, filledBody, filledUrl, type Values } from './fill.ts';
import { ofKey } from './paths.ts';

export interface RecordRequest {
  method: 'POST' | 'PUT' | 'GET' | 'DELETE' | 'OPTIONS';
  url: URL;
  headers: Record<string, string>;
  body: string;
}

/** The request of a message or of a look-up. */
type RequestPart =
  | CarrierRecord['send']
  | LookupRecord['send']
  | (Omit<CarrierRecord['send'], 'method'> & Pick<NonNullable<CarrierRecord['unsuppress']>, 'method'>);
export type RecordParts = Pick<CarrierRecord, 'check'> & { send: RequestPart };

/** The values of the placeholders for one message. */
export function messageValues(
  { send }: Pick<CarrierRecord, 'send'>,
  fields: FieldValues,
  { message, now, names }: { message: Message; now: Date; names: SenderNames },
): Values {
  const [least, most] = send.seconds_left ?? [1, 604_800];
  const seconds = Math.floor((message.expires_at.getTime() - now.getTime()) / 1_000);
  const digits = message.recipient.replace(/^\+/, '');
  const { recipient, text, code, id, reference, status_url, sender_name, subject, html, reply_to, dlt } =
    message;
  const mailbox = message.channel === 'email' ? parseMailbox(fields.from ?? '') : undefined;
  const sender = mailbox && senderOf(mailbox, message, names);
  const { language = 'en' } = message;
  return {
    ...fields,
    feedback: fields.feedback ? true : undefined,
    to: recipient,
    to_digits: digits,
    to_number: /^\d{1,15}$/.test(digits) ? Number(digits) : undefined,
    text,
    code,
    id,
    reference,
    report_url:
      status_url && reference ? `${status_url.replace(/\?.*$/, '')}?reference=${reference}` : undefined,
    seconds_left: Math.min(Math.max(seconds, least), most),
    expires_at: message.expires_at.toISOString(),
    sender_name,
    subject: subject === undefined ? undefined : undecoded(subject),
    html,
    language: ofKey(send.languages, language) ?? language,
    mail_from: sender && mailboxText(sender, false),
    mail_from_ascii: sender && mailboxText(sender, true),
    reply_to,
    dlt_entity_id: dlt?.entity_id,
    dlt_template_id: dlt?.template_id,
  };
}

/** The request for a message or a number; undefined if a value that it needs is missing. */
export function requestOf(
  { send }: { send: RequestPart },
  values: Values,
  now: Date,
): RecordRequest | undefined {
  const url = filledUrl(send.url, values);
  const authorization = authorizationOf(send, values);
  if (!url || !authorization) return undefined;
  const own = Object.entries(send.headers ?? {}).flatMap(([name, template]) => {
    const value = filled(template, values);
    return value === undefined ? [] : [[name.toLowerCase(), value] as const];
  });
  const body = filledBody(send.body, values) as Record<string, unknown>;
  const isForm = send.format === 'form';
  const hasBody = send.method !== 'GET' && send.method !== 'DELETE';
  const request: RecordRequest = {
    method: send.method ?? 'POST',
    url,
    headers: {
      accept: 'application/json',
      ...(hasBody && { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
      ...Object.fromEntries(own),
      ...authorization,
    },
    body: hasBody ? (isForm ? formOf(body) : JSON.stringify(body)) : '',
  };
  return signedRequest(send, request, values, now);
}

function signedRequest(
  { auth }: RequestPart,
  request: RecordRequest,
  values: Values,
  now: Date,
): RecordRequest {
  if (auth?.type !== 'aws4') return request;
  const { key_id, secret, region, service } = auth;
  const [keyId = '', ...others] = [key_id, secret, region, service].map((one) => filled(one, values) ?? '');
  const key = { keyId, secret: others[0] ?? '', region: others[1] ?? '', service: others[2] ?? '', now };
  return { ...request, headers: { ...request.headers, ...aws4Headers(request, key) } };
}

/** The request about a right code. */
export function feedbackRequestOf(
  { send, feedback }: CarrierRecord,
  fields: FieldValues,
  { right, now }: { right: RightCode; now: Date },
): RecordRequest | undefined {
  if (!feedback) return undefined;
  const { id, recipient: to, provider_message_id: provider_id, code } = right;
  const values = { ...fields, id, to, to_digits: to.replace(/^\+/, ''), provider_id, code };
  return requestOf({ send: { ...feedback, auth: send.auth } }, values, now);
}

/** The request that checks the credentials. */
export function checkRequestOf(
  { send, check }: RecordParts,
  values: Values,
  now: Date,
): RecordRequest | undefined {
  const url = check && filledUrl(check.url, values);
  const authorization = authorizationOf(send, values);
  if (!url || !authorization) return undefined;
  const headers = { accept: 'application/json', ...authorization };
  return signedRequest(send, { method: 'GET', url, headers, body: '' }, values, now);
}

function authorizationOf({ auth }: RequestPart, values: Values): Record<string, string> | undefined {
  if (!auth || auth.type === 'aws4') return {};
  if (auth.type === 'bearer') {
    const token = filled(auth.token, values);
    return token === undefined ? undefined : { authorization: `Bearer ${token}` };
  }
  if (auth.type === 'header') {
    const value = filled(auth.value, values);
    return value === undefined ? undefined : { [auth.name.toLowerCase()]: value };
  }
  const login = filled(`${auth.username}:${auth.password}`, values);
  return login === undefined
    ? undefined
    : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

/** A list becomes a repeated field. */
function formOf(body: Record<string, unknown>): string {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((one): [string, string] => [name, typeof one === 'object' ? JSON.stringify(one) : String(one)]),
  );
  return new URLSearchParams(fields).toString();
}
