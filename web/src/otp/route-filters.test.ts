import { expect, test } from 'vitest';
import { CARRIERS, carrierName } from './route-filters.ts';

test('the carriers of the environment are shown by their names, others by their own', () => {
  expect(['smtp', 'twilio', 'http', 'sandbox', 'test', 'twilio-eu'].map(carrierName)).toEqual([
    'SMTP',
    'Twilio',
    'HTTP gateway',
    'Sandbox',
    'Test',
    'twilio-eu',
  ]);
});

test('the carriers of the environment and the sandbox can be filtered by', () => {
  expect(CARRIERS).toEqual(['smtp', 'twilio', 'http', 'sandbox']);
});
