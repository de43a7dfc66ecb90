import { beforeAll, describe, expect, test } from 'vitest';
import { TwilioFake, type TwilioMessage } from '../../../../../test/fakes/twilio.ts';
import {
  parseTwilioInbound,
  parseTwilioStatus,
  twilioSignature,
  twimlReply,
  validTwilioSignature,
} from './callbacks.ts';

// The worked example of Twilio's security documentation.
const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const params = {
  CallSid: 'CA1234567890ABCDE',
  Caller: '+14158675309',
  Digits: '1234',
  From: '+14158675309',
  To: '+18005551212',
};
const signed = { authToken: '12345', url, params, signature: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' };

test("Twilio's signature matches the example in Twilio's documentation", () => {
  expect(twilioSignature('12345', url, params)).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=');
  expect(validTwilioSignature(signed)).toBe(true);
});

test.each([
  ['another token', { authToken: '12346' }],
  ['no token', { authToken: '' }],
  ['a signature made without a token', { authToken: '', signature: twilioSignature('', url, params) }],
  ['another address', { url: 'https://mycompany.com/myapp.php?foo=1&bar=3' }],
  ['another value', { params: { ...params, Digits: '1235' } }],
  ['a field more', { params: { ...params, Extra: 'x' } }],
  ['no signature', { signature: undefined }],
  ['an empty signature', { signature: '' }],
  ['two signatures', { signature: [signed.signature, signed.signature] }],
])('a callback from Twilio is refused for %s', (_, over) => {
  expect(validTwilioSignature({ ...signed, ...over })).toBe(false);
});

test('Twilio’s signature holds with and without the default port', () => {
  const withPort = 'https://mycompany.com:443/myapp.php?foo=1&bar=2';
  const signature = twilioSignature('12345', withPort, params);
  expect(validTwilioSignature({ ...signed, signature })).toBe(true);
  expect(validTwilioSignature({ ...signed, url: withPort })).toBe(true);
});

test('Twilio’s signature holds with and without an explicit port, and with no other port', () => {
  const address = 'https://mycompany.com:8443/myapp.php?foo=1&bar=2';
  const isValid = (signedAs: string) =>
    validTwilioSignature({
      ...signed,
      url: address,
      signature: twilioSignature('12345', signedAs, params),
    });
  expect(isValid(address)).toBe(true);
  expect(isValid(address.replace(':8443', ''))).toBe(true);
  expect(isValid(address.replace(':8443', ':8444'))).toBe(false);
  expect(isValid(address.replace(':8443', ':443'))).toBe(false);
});

test('Twilio’s signature includes repeated fields once each, sorted', () => {
  const repeated = { Media: ['b', 'a', 'b'] };
  expect(twilioSignature('t', 'https://x.example/', repeated)).toBe(
    twilioSignature('t', 'https://x.example/MediaaMediab', {}),
  );
});

describe('delivery reports', () => {
  test.each([
    ['delivered', undefined, 'delivered', null],
    ['read', undefined, 'delivered', null],
    ['undelivered', '30003', 'undelivered', 'unreachable_handset'],
    ['failed', '30007', 'undelivered', 'filtered'],
    ['failed', '21610', 'undelivered', 'unsubscribed'],
    ['failed', '39999', 'undelivered', 'twilio_39999'],
    ['failed', undefined, 'undelivered', 'failed'],
    ['undelivered', '<script>', 'undelivered', 'undelivered'],
    ['canceled', undefined, 'undelivered', 'canceled'],
    ['sent', undefined, 'sent', null],
    ['queued', undefined, 'other', null],
    ['sending', undefined, 'other', null],
    ['something new', undefined, 'other', null],
  ])('a Twilio message report "%s" (%s) is read as %s, %s', (MessageStatus, ErrorCode, state, reason) => {
    const params = { MessageSid: 'SM1', MessageStatus, ErrorCode };
    const is_read = state === 'delivered' ? { is_read: MessageStatus === 'read' } : {};
    expect(parseTwilioStatus(params)).toEqual({ provider_message_id: 'SM1', state, reason, ...is_read });
  });

  test.each([
    ['completed', 'delivered', null],
    ['busy', 'undelivered', 'busy'],
    ['no-answer', 'undelivered', 'no_answer'],
    ['failed', 'undelivered', 'call_failed'],
    ['canceled', 'undelivered', 'call_canceled'],
    ['ringing', 'other', null],
    ['in-progress', 'other', null],
    ['constructor', 'other', null],
  ])('a Twilio call report "%s" is read as %s, %s', (CallStatus, state, reason) => {
    expect(parseTwilioStatus({ CallSid: 'CA1', CallStatus })).toEqual({
      provider_message_id: 'CA1',
      state,
      reason,
    });
  });

  test('a Twilio report can have the older names of its fields', () => {
    const state = { provider_message_id: 'SM1', state: 'sent', reason: null };
    expect(parseTwilioStatus({ SmsSid: 'SM1', SmsStatus: 'sent' })).toEqual(state);
  });

  test('a Twilio report without fields changes nothing', () => {
    expect(parseTwilioStatus({})).toEqual({ provider_message_id: null, state: 'other', reason: null });
  });
});

describe("the fake's callbacks", () => {
  const fake = new TwilioFake({});
  let message: TwilioMessage;
  beforeAll(() => {
    message = {
      sid: 'SM1',
      kind: 'sms',
      to: '+12025550100',
      from: '+12025550199',
      body: '',
      code: '',
      statusCallback: 'https://otp.example.com/api/v1/carriers/twilio/status/?otp=1',
      params: {},
      idempotencyKey: undefined,
    };
  });
  const isValid = ({ url, headers, body }: ReturnType<TwilioFake['callback']>) =>
    validTwilioSignature({
      authToken: fake.authToken,
      url,
      params: Object.fromEntries(new URLSearchParams(body)),
      signature: headers['x-twilio-signature'],
    });

  test('the callbacks of the Twilio fake have valid signatures, and its forged callbacks do not', () => {
    expect(isValid(fake.callback(message, 'delivered'))).toBe(true);
    expect(isValid(fake.callback(message, 'delivered', { forged: true }))).toBe(false);
    expect(isValid(fake.inbound('https://otp.example.com/in', { from: '+12025550100', body: 'STOP' }))).toBe(
      true,
    );
  });
});

test('an inbound text from Twilio has a sender, a recipient and a text', () => {
  expect(parseTwilioInbound({ From: '+12025550100', To: '+12025550199', Body: ' Stop\n' })).toEqual({
    from: '+12025550100',
    to: '+12025550199',
    body: ' Stop\n',
  });
});

test.each([
  ['STOP', 'stop'],
  ['Start', 'start'],
  ['help', 'help'],
  ['other', undefined],
])('an inbound text from Twilio with the type %s is read as %s', (OptOutType, opt_out) => {
  expect(parseTwilioInbound({ From: '+12025550100', Body: 'x', OptOutType })?.opt_out).toBe(opt_out);
});

test('an inbound text from Twilio without a sender is ignored', () => {
  expect(parseTwilioInbound({ Body: 'STOP' })).toBeUndefined();
});

test('an inbound text from Twilio gets a reply in TwiML', () => {
  expect(twimlReply()).toBe('<Response/>');
  expect(twimlReply('Write to <help@acme.example> & wait')).toBe(
    '<Response><Message>Write to &lt;help@acme.example&gt; &amp; wait</Message></Response>',
  );
});
