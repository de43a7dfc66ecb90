import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { expect, test } from 'vitest';
import { reasonShown, rebuiltBody, recipientShown, refusalText } from './refused.ts';

const ID = '01a1fc75-a1b2-7c3d-8e4f-5a6b7c8d9e0f';
const otp = { id: null, channel: 'sms', recipient: '+14155552671', status: null } as const;
const refused = (field: string, value: string | null = null) => [
  { field, message: 'Enter a valid phone number, such as +14155552671.', value },
];
type Log = Pick<RequestLog, 'request_type' | 'otp' | 'reason' | 'refused_fields'>;
const log = (more: Partial<Log>): Log => ({
  request_type: 'send_otp',
  otp: null,
  reason: null,
  refused_fields: null,
  ...more,
});

test.each<[string, Partial<Log>, object | undefined]>([
  ['an accepted send', { otp: { ...otp, id: ID } }, { channel: 'sms', recipient: '+14155552671' }],
  [
    'a send without credits',
    { otp, reason: 'insufficient_credits' },
    { channel: 'sms', recipient: '+14155552671' },
  ],
  [
    'a malformed recipient',
    { reason: 'invalid_fields', refused_fields: refused('recipient', '+1415•') },
    undefined,
  ],
  [
    'a country that is off',
    { otp, reason: 'invalid_fields', refused_fields: refused('recipient') },
    undefined,
  ],
  ['a row from before fields were stored', { otp, reason: 'invalid_fields' }, undefined],
  ['a body that is not JSON', { reason: 'malformed_json' }, undefined],
  [
    'several sends to different recipients',
    { otp: { ...otp, recipient: null }, reason: 'rate_limited' },
    undefined,
  ],
  [
    'several sends over different channels',
    { otp: { ...otp, channel: null }, reason: 'rate_limited' },
    undefined,
  ],
  ['a verify', { request_type: 'verify_otp', otp: { ...otp, id: ID } }, { otp_id: ID, code: '••••••••' }],
  ['a verify of an unknown id', { request_type: 'verify_otp', reason: 'otp_not_found' }, undefined],
])('%s is shown as a request only if somebody made it', (_, more, body) => {
  expect(rebuiltBody(log(more))).toEqual(body);
});

test('a refused field is named in the reason, with its sentence and the beginning of its value', () => {
  const row = log({ reason: 'invalid_fields', refused_fields: refused('recipient', '+1415•') });
  expect(reasonShown(row)).toBe('invalid_fields: recipient');
  expect(refusalText(row)).toBe('Enter a valid phone number, such as +14155552671.');
  expect(recipientShown(row)).toBe('+1415•');
  expect(recipientShown(log({ refused_fields: refused('To', '4155') }))).toBe('4155');
  expect(recipientShown(log({ otp, refused_fields: refused('recipient') }))).toBe('+14155552671');
  expect(recipientShown(log({ refused_fields: refused('channel', 'fax') }))).toBeUndefined();
  expect(reasonShown(log({ reason: 'rate_limited' }))).toBe('rate_limited');
});
