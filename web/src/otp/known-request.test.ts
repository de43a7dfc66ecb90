import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { expect, test } from 'vitest';
import { knownRequest } from './known-request.ts';

const ID = '01a1fc75-a1b2-7c3d-8e4f-5a6b7c8d9e0f';
const SHORT = { channel: 'sms', recipient: '+14155552671' } as const;
const target = { ...SHORT, id: null, status: null };

type Log = Parameters<typeof knownRequest>[0];
type Otp = NonNullable<Parameters<typeof knownRequest>[1]>;
const log = (more: Partial<RequestLog>): Log => ({
  request_type: 'send_otp',
  otp: { ...target, id: ID },
  endpoint: '/api/v1/otp/send/',
  reason: null,
  ...more,
});
const otp = (more: Partial<Otp> = {}): Otp => ({
  channel: 'sms',
  message: null,
  locale: null,
  language: 'en',
  template: null,
  purpose: null,
  metadata: null,
  max_attempts: null,
  own_code: false,
  ...more,
});

test.each<[string, Partial<RequestLog>, object | undefined]>([
  ['a send without credits', { otp: target, reason: 'insufficient_credits' }, SHORT],
  ['a refused field', { reason: 'invalid_fields' }, undefined],
  ['a body that is not JSON', { otp: null, reason: 'malformed_json' }, undefined],
  ['sends to different recipients', { otp: { ...target, recipient: null } }, undefined],
  ['sends over different channels', { otp: { ...target, channel: null } }, undefined],
  ['a verify', { request_type: 'verify_otp' }, { otp_id: ID, code: '••••••••' }],
  ['a verify of an unknown id', { request_type: 'verify_otp', otp: null }, undefined],
  ['a resend', { endpoint: `/api/v1/otp/${ID}/resend/` }, { channel: 'sms' }],
])('%s is shown as a request only if somebody made it', (_, more, body) => {
  expect(knownRequest(log(more), undefined)?.body).toEqual(body);
});

test.each<[string, Partial<Otp>, object | undefined]>([
  ['of the channel alone', {}, SHORT],
  [
    'with further fields',
    { locale: 'de', language: 'de', message: 'Ihr Code: {code}', purpose: 'login', metadata: { a: 'b' } },
    { ...SHORT, locale: 'de', purpose: 'login', metadata: { a: 'b' } },
  ],
  ['with other attempts', { max_attempts: 3 }, { ...SHORT, max_attempts: 3 }],
  ['of an own code', { own_code: true }, { ...SHORT, code: '••••••••' }],
  ['with a text', { message: 'Code: {code}', language: null }, undefined],
  ['with a template', { template: 'order' }, undefined],
  ['with autofill', { message: 'Code: {code}\n\n@example.com #{code}' }, undefined],
  ['of a call with a text', { message: 'Code: {code}', channel: 'voice' }, undefined],
  ['with a plan', { steps: [] }, undefined],
])('an accepted send %s is shown only with all of its fields that change the message', (_, more, body) => {
  expect(knownRequest(log({}), otp(more))?.body).toEqual(body);
});
