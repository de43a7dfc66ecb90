import { expect, test } from 'vitest';
import { CARRIERS, carrierName, hasRoute, routeQuery } from './route-filters.ts';

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

test('only the filters that are set are asked for', () => {
  const none = { channel: 'all', country: '', carrier: 'all' } as const;
  const all = { channel: 'voice', country: 'DE', carrier: 'twilio' } as const;
  expect([routeQuery(none), hasRoute(none)]).toEqual([{}, false]);
  expect(routeQuery(all)).toEqual(all);
  for (const [name, value] of Object.entries(all)) {
    const one = { ...none, [name]: value };
    expect([routeQuery(one), hasRoute(one)]).toEqual([{ [name]: value }, true]);
  }
  expect(routeQuery({ ...none, country: 'D' })).toEqual({});
});
