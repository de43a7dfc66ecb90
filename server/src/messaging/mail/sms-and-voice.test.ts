import { callScript } from '@sixdigit/contract/text/call-script.ts';
import { renderSms } from '@sixdigit/contract/text/sms-segments.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verificationTwiml, voiceSentence } from './voice.ts';

test('an SMS contains the code in place of every {code}', () => {
  expect(renderSms('Your verification code is: {code}', '042917')).toBe('Your verification code is: 042917');
  expect(renderSms('{code} is it. @acme.example #{code}', '1234')).toBe('1234 is it. @acme.example #1234');
});

test('a call contains the code in a sentence', () => {
  expect(voiceSentence('Acme', '0429')).toBe('Your Acme verification code is 0, 4, 2, 9.');
});

test('a call speaks the digits one by one, three times', () => {
  expect(verificationTwiml('Acme', '0429').match(/0, 4, 2, 9\./g)).toHaveLength(3);
});

test('a call speaks the script that the dashboard shows, pauses included', () => {
  const pause = '<Pause length="1"/>';
  const again = `${pause}<Say>Once more: 0, 4, 2, 9.</Say>`;
  expect(verificationTwiml('Smith & Co', '0429')).toBe(
    `<Response>${pause}<Say>Your Smith &amp; Co verification code is: 0, 4, 2, 9.</Say>${again}${again}${pause}<Say>Goodbye.</Say></Response>`,
  );
  expect(callScript('Smith & Co', '0429').map((part) => ('say' in part ? part.say : part))).toEqual([
    { pause_seconds: 1 },
    'Your Smith & Co verification code is: 0, 4, 2, 9.',
    { pause_seconds: 1 },
    'Once more: 0, 4, 2, 9.',
    { pause_seconds: 1 },
    'Once more: 0, 4, 2, 9.',
    { pause_seconds: 1 },
    'Goodbye.',
  ]);
});

test('a call contains only our TwiML verbs, for any sender name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const verbs = verificationTwiml(`<Dial>${name}</Dial>`, '0429').match(/<\/?\w+/g) ?? [];
      expect([...new Set(verbs)].sort()).toEqual(['</Response', '</Say', '<Pause', '<Response', '<Say']);
    }),
  );
});
