import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { twilioSignature } from '../src/messaging/carriers/kinds/twilio/callbacks.ts';
import { expectDocumented } from './documented.ts';
import { startHttpCarrier } from './fakes/http-carrier.ts';
import type { Callback } from './fakes/http-listener.ts';
import { startTwilio, type TwilioMessage } from './fakes/twilio.ts';
import { fixture } from './fixture.ts';
import { hostile, hostileText } from './hostile.ts';
import { testService } from './service.ts';

/** Any callback, signed or not, never causes a 500 and changes only the verification it names. */
let texted: TwilioMessage;
let otp_id: string;

const twilio = fixture(startTwilio);
const gateway = fixture(startHttpCarrier);
const service = fixture(() =>
  testService({
    env: {
      TWILIO_ACCOUNT_SID: twilio.accountSid,
      TWILIO_AUTH_TOKEN: twilio.authToken,
      TWILIO_FROM: '+12025550199',
      TWILIO_API_URL: twilio.url,
      HTTP_CARRIER_URL: gateway.url,
      HTTP_CARRIER_SECRET: gateway.secret,
    },
  }),
);
const alice = fixture(() => service.customer('Alice'));
beforeAll(async () => {
  const sent = await service.call(sendOtp, {
    apiKey: alice.api_key,
    body: { channel: 'sms', recipient: '+14155550100' },
  });
  otp_id = sent.body.otp_id;
  await service.drain();
  texted = await twilio.waitForMessageTo('+14155550100');
});

const ORIGIN = 'http://sixdigit.test';
const at = (path: string) => `${ORIGIN}${API_BASE}/carriers/${path}/`;

async function made({ url, headers, body }: Callback) {
  const answer = await service.inject({
    method: 'POST',
    url: url.slice(ORIGIN.length),
    headers,
    payload: Buffer.from(body),
  });
  expectDocumented(answer);
  return answer;
}

const bounded = { interruptAfterTimeLimit: 3_000, endOnFailure: true, numRuns: 200 } as const;
const values = (names: string[], value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom(...names), value, { maxKeys: names.length });

test('any status report from Twilio gets a documented response', async () => {
  const fields = [
    'MessageSid',
    'SmsSid',
    'MessageStatus',
    'CallSid',
    'CallStatus',
    'ErrorCode',
    'To',
    '__proto__',
  ];
  const text = fc.oneof(
    hostileText,
    fc.constantFrom('delivered', 'undelivered', 'failed', 'sent', 'busy', '30003'),
  );
  const query = fc.oneof(
    fc.constant(new URL(texted.statusCallback ?? '').search),
    hostileText.map((some) => `?otp=${encodeURIComponent(some.toWellFormed())}&account=${alice.account_id}`),
    hostileText.map((some) => `?otp=${otp_id}&account=${encodeURIComponent(some.toWellFormed())}`),
    fc.constantFrom('', '?otp=&account=', '?otp=a&otp=b', '?%', '?otp=%ff'),
  );
  await fc.assert(
    fc.asyncProperty(values(fields, text), query, async (params, search) => {
      const url = at('twilio/status') + search;
      const clean = Object.fromEntries(
        Object.entries(params).map(([name, some]) => [name, String(some).toWellFormed()]),
      );
      await made({ ...twilio.inbound(url, { from: '+14155550100', body: '' }), ...signed(url, clean) });
    }),
    bounded,
  );
});

test('any inbound text from Twilio gets a documented response', async () => {
  const from = fc.oneof(hostileText, fc.constantFrom('+14155550155', '4155550155', 'SIXDIGIT', ''));
  const body = fc.oneof(
    hostileText,
    fc.constantFrom('STOP', ' stop ', 'START', 'HELP', 'ｓｔｏｐ', 'STOP\u0000'),
  );
  await fc.assert(
    fc.asyncProperty(from, body, async (sender, text) => {
      const sms = { from: sender.toWellFormed(), body: text.toWellFormed() };
      const answer = await made(twilio.inbound(at('twilio/inbound'), sms));
      if (answer.statusCode === 200) expect(answer.headers['content-type']).toContain('text/xml');
    }),
    bounded,
  );
});

test('any report or inbound text from the HTTP carrier gets a documented response', async () => {
  const fields = [
    'message_id',
    'otp_id',
    'status',
    'reason',
    'from',
    'text',
    'to',
    '__proto__',
    'constructor',
  ];
  const value = fc.oneof(
    hostile,
    fc.constantFrom<unknown>('delivered', 'undelivered', 'failed', '+14155550155', 'STOP', 'a_reason'),
  );
  const body = fc.oneof({ weight: 8, arbitrary: values(fields, value) as fc.Arbitrary<unknown> }, hostile);
  const search = `?otp=${otp_id}&account=${alice.account_id}`;
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('http/status', 'http/inbound'), async (payload, path) => {
      await made(gateway.callback(at(path) + search, payload));
    }),
    bounded,
  );
});

test('a forged or unsigned callback gets the same 404 as an unknown path', async () => {
  const paths = ['twilio/status', 'twilio/inbound', 'http/status', 'http/inbound'];
  for (const path of paths) {
    const callbacks = [
      twilio.inbound(at(path), { from: '+14155550177', body: 'STOP' }, { forged: true }),
      gateway.callback(
        at(path),
        { from: '+14155550177', text: 'STOP', otp_id, status: 'failed' },
        { forged: true },
      ),
      { url: at(path), headers: { 'content-type': 'application/json' }, body: '{}' },
      { url: at(path), headers: {}, body: '' },
    ];
    for (const callback of callbacks) {
      const answer = await made(callback);
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toEqual({ error: 'Not found', reason: 'not_found' });
    }
  }
  const free = await service.call(sendOtp, {
    apiKey: alice.api_key,
    body: { channel: 'sms', recipient: '+14155550177' },
  });
  expect(free.status).toBe(201);
});

test('carrier callbacks log no error and refund at most once', async () => {
  await service.drain();
  expect(service.logLines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  const { refunds } = await service.app.db.one<{ refunds: number }>(
    `select count(*) as refunds from ledger where kind = 'refund' and account_id = $1`,
    [alice.account_id],
  );
  expect(refunds).toBeLessThanOrEqual(1);
});

/** A form as Twilio signs it. */
function signed(url: string, params: Record<string, string>): Pick<Callback, 'body' | 'headers'> {
  const body = new URLSearchParams(params).toString();
  // As it will be read.
  const fields = Object.fromEntries([...new URLSearchParams(body)].filter(([name]) => name !== '__proto__'));
  return {
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': twilioSignature(twilio.authToken, url, fields),
    },
  };
}
