import { SEND_FAILURES } from '@sixdigit/contract/otp.ts';
import { SKIP_REASONS } from '@sixdigit/contract/plan-fields.ts';
import { expect, test } from 'vitest';
import { mostText, planText, reasonText } from './plan-texts.ts';

test('a plan names its channels in order with the time at which each starts', () => {
  expect(planText({ channels: ['sms'], wait_seconds: 60 })).toBe('SMS');
  expect(planText({ channels: ['sms', 'voice', 'email'], wait_seconds: 45 })).toBe(
    'SMS, then voice after 45 s, email after 90 s',
  );
});

test('a plan costs at most the sum of its channels in the country', () => {
  const sends = [
    { channel: 'sms', country: null, credits: 2, unit: 'segment' },
    { channel: 'sms', country: 'DE', credits: 4, unit: 'request' },
    { channel: 'voice', country: null, credits: 3, unit: 'request' },
  ] as const;
  const plan = { channels: ['sms', 'voice'] } as const;
  expect(mostText(plan, sends, null)).toBe('At most 5 credits with texts of one segment');
  expect(mostText(plan, sends, 'DE')).toBe('At most 7 credits');
  expect(mostText({ channels: ['email'] }, sends, null)).toBe('At most 1 credit');
});

test('the reason of a skipped step is a sentence, for every reason of the contract and an unknown one', () => {
  expect(reasonText({ status: 'skipped', reason: 'own_text' })).toBe('The channel shows no text of your own');
  for (const reason of [...SKIP_REASONS, ...SEND_FAILURES])
    expect(reasonText({ status: 'skipped', reason }), reason).not.toMatch(/^Refused/);
  expect(reasonText({ status: 'skipped', reason: 'limit_reached' })).toBe('Refused: limit reached');
  expect(reasonText({ status: 'failed', reason: 'Not delivered: 30003' })).toBe('Not delivered: 30003');
  expect(reasonText({ status: 'sent' })).toBe(null);
});
