import { expect, test } from 'vitest';
import { CHANNELS, factsOf, ONE_OF_CHANNELS } from './channels.ts';
import { channel } from './otp.ts';

test('the error for an unknown channel lists every channel', () => {
  expect(ONE_OF_CHANNELS).toBe('sms, voice, email, whatsapp or telegram');
  expect(channel.safeParse('fax').error?.issues[0]?.message).toBe(
    'Channel must be sms, voice, email, whatsapp or telegram.',
  );
});

test('every channel in the table is accepted', () => {
  for (const name of CHANNELS) expect(channel.parse(name)).toBe(name);
});

test('every channel for e-mail addresses uses the mail format and ignores opt-outs', () => {
  for (const name of CHANNELS) {
    const { recipient, format, obeysOptOut } = factsOf(name);
    if (recipient === 'email') expect([format, obeysOptOut]).toEqual(['mail', false]);
  }
});
