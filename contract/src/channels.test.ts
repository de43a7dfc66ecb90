import { expect, test } from 'vitest';
import { CHANNELS, factsOf, ONE_OF_CHANNELS } from './channels.ts';
import { channel } from './otp.ts';

test('a refused channel names every channel', () => {
  expect(ONE_OF_CHANNELS).toBe('sms, voice or email');
  expect(channel.safeParse('fax').error?.issues[0]?.message).toBe('Channel must be sms, voice or email.');
});

test('every channel of the table is accepted', () => {
  for (const name of CHANNELS) expect(channel.parse(name)).toBe(name);
});

test('a channel for e-mail addresses sends mail without opt-out keywords', () => {
  for (const name of CHANNELS) {
    const { recipient, format, obeysOptOut } = factsOf(name);
    if (recipient === 'email') expect([format, obeysOptOut]).toEqual(['mail', false]);
  }
});
