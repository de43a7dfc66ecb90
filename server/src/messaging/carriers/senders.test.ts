import { expect, test } from 'vitest';
import { senderFor, senderProblems, senderWarnings } from './senders.ts';

const SERVICE = `MG${'0'.repeat(32)}`;

test.each([
  ['US +12025550123, SE Acme', undefined],
  ['us +12025550123 ,', undefined],
  ['voice +12025550123, FR voice +33199001234, FR Acme & Co', undefined],
  [`SE ${SERVICE}, GB 12345`, undefined],
  ['', undefined],
  ['US', /such as US/],
  ['USA +1202', /such as US/],
  ['SE +46 70 123, +46701234567', /for SE/],
  ['XX Acme', /no country/],
  ['SE Acme, se Other', /SE has two senders/],
  ['voice +12025550123, Voice +12025550124', /voice has two senders/],
  ['SE email Acme', /Twilio does not serve Email/],
  ['SE Acme Company', /at most 11 letters and digits, for SE/],
  ['SE Ac\u200bme', /at most 11 letters and digits, for SE/],
  ['SE <b>Acme', /at most 11 letters and digits, for SE/],
  ['SE voice Acme', /Calls need a number/],
  ['GB voice 12345', /Calls need a number/],
  ['US Acme', /US takes no sender names/],
  [Array.from({ length: 300 }, () => 'SE A').join(), /at most 100 senders/],
])('the senders %j are checked', (senders, expected) => {
  const problem = senderProblems('twilio', { from: '+12025550199', senders }).senders;
  if (expected) expect(problem).toMatch(expected);
  else expect(problem).toBeUndefined();
});

test.each([
  ['vonage', 'Acme', true],
  ['vonage', 'Acme Company', false],
  ['vonage', SERVICE, false],
  ['vonage', '+1 202', false],
  ['twilio', SERVICE, true],
  ['twilio', 'MG123', true],
  ['aws', 'pool-0123456789abcdef', true],
  ['custom', 'Any text that a company takes', true],
] as const)('for %s, %j as the sender is checked', (kind, from, isFine) => {
  expect(senderProblems(kind, { from, senders: `SE ${from}` })).toEqual(
    isFine ? {} : { from: expect.any(String), senders: expect.stringContaining('for SE') },
  );
});

test('a company’s own id, which has letters too, may send to a country that takes no names', () => {
  expect(senderProblems('aws', { senders: 'US pool-0123456789abcdef' })).toEqual({});
  expect(senderProblems('aws', { senders: 'US Acme' })).toHaveProperty('senders');
});

test.each([
  ['sms', '+14155550100', '+12025550123'],
  ['sms', '+46701234567', 'Acme'],
  ['sms', '+33612345678', 'Acme FR'],
  ['sms', '+41791234567', '+18005550199'],
  ['voice', '+33612345678', '+33199001234'],
  ['voice', '+14155550100', '+15551234567'],
  // Neither a name nor a short code can call.
  ['voice', '+46701234567', '+15551234567'],
  ['voice', '+447400123456', '+15551234567'],
  ['sms', '+447400123456', '12345'],
  ['email', 'anna@example.com', '+18005550199'],
] as const)('a message by %s to %s has the sender %s', (channel, recipient, expected) => {
  const senders =
    'us +12025550123, SE Acme, GB 12345, FR Acme FR, FR voice +33199001234, voice +15551234567, SE voice Acme';
  expect(senderFor({ channel, recipient }, { senders, from: '+18005550199' })).toBe(expected);
});

test.each([
  ['Acme', '', ['US, CA, PR, CN', 'IN, SG, AU']],
  ['Acme', 'US +12025550123, IN 12345', ['no message from a name: CA, PR, CN.', 'there: SG, AU']],
  ['+12025550123', 'SG Acme', [undefined, 'there: SG.']],
  ['+12025550123', 'SE Acme', []],
  ['pool-0123456789abcdef', '', []],
])('the sender %j with %j has its warnings', (from, senders, expected) => {
  const warned = senderWarnings(
    { allowedCountries: ['*'] },
    { channels: ['sms'], values: { from, senders } },
  );
  const wanted = expected.filter((one) => one !== undefined);
  expect(warned).toEqual(wanted.map((one) => expect.stringContaining(one)));
});

test('only allowed countries and SMS have warnings', () => {
  const used = { channels: ['sms'], values: { from: 'Acme' } } as const;
  expect(senderWarnings({ allowedCountries: ['SE', 'US'] }, used)).toEqual([
    'These countries deliver no message from a name: US.',
  ]);
  expect(senderWarnings({ allowedCountries: ['*'] }, { ...used, channels: ['voice'] })).toEqual([]);
});
