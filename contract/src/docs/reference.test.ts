import { expect, test } from 'vitest';
import { sendOtp, verifyOtp } from '../otp.ts';
import { shellWord } from './curl.ts';
import { fieldsOf, proseOf, refusalsOf } from './reference.ts';

test('the documentation lists every field of a call and marks the required ones', () => {
  const fields = fieldsOf(sendOtp, 'body');
  expect(fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(['recipient']);
  expect(fields.find(({ name }) => name === 'channel')?.type).toBe(
    '"sms" | "voice" | "email" | "whatsapp" | "telegram"',
  );
});

test.each([sendOtp, verifyOtp])('every documented field of $name has a description', (route) => {
  const fields = [...fieldsOf(route, 'body'), ...fieldsOf(route, 'reply')];
  expect(fields.filter(({ description }) => description === '').map(({ name }) => name)).toEqual([]);
});

test('the documented errors are sorted by status and contain each reason once', () => {
  const refusals = refusalsOf(sendOtp);
  const statuses = refusals.map(({ status }) => status);
  expect(statuses).toEqual([...statuses].sort((a, b) => a - b));
  expect(new Set(refusals.map(({ reason }) => reason)).size).toBe(refusals.length);
  expect(refusals).toContainEqual({
    of: 'sendOtp',
    status: 402,
    error: 'Insufficient credits',
    reason: 'insufficient_credits',
  });
});

test('what a reason means is documented with the error, not in the prose before the parameters', () => {
  const blocked = refusalsOf(sendOtp).find(({ reason }) => reason === 'destination_blocked');
  expect(blocked?.note).toMatch(/^A fraud rule or a list blocks this destination\. `blocked_by` names/);
  const prose = proseOf(sendOtp);
  expect(prose).toHaveLength(3);
  expect(prose.join(' ')).not.toMatch(/destination_blocked|recipient_rate_limited|spend_limit_reached/);
});

test('a quoted text is one word in any shell', () => {
  expect(shellWord("it's $HOME")).toBe(String.raw`'it'\''s $HOME'`);
});
