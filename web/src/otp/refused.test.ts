import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { expect, test } from 'vitest';
import { reasonShown, recipientShown, refusalText } from './refused.ts';

const otp = { id: null, channel: 'sms', recipient: '+14155552671', status: null } as const;
const refused = (field: string, value: string | null = null) => [
  { field, message: 'Enter a valid phone number, such as +14155552671.', value },
];
type Log = Pick<RequestLog, 'otp' | 'reason' | 'refused_fields'>;
const log = (more: Partial<Log>): Log => ({
  otp: null,
  reason: null,
  refused_fields: null,
  ...more,
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
