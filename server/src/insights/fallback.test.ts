import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { getFallback } from '@sixdigit/contract/insights.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { getVerification } from '@sixdigit/contract/verifications.ts';
import { beforeAll, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { sender } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';
import { optOut, optOutFingerprint } from '../messaging/opt-outs/opt-outs.ts';
import { fallbackOf } from './fallback.ts';

const service = fixture(() =>
  serviceWithCarriers(['twilio', 'http'], { VOICE_CARRIERS: 'twilio', ALLOWED_COUNTRIES: '*' }),
);
const alice = fixture(() => sender(service, 'Alice', { credits: 1_000 }));
let rescued: string;

async function planned(recipient: string) {
  const body = { recipient, channels: ['sms', 'voice'] as ('sms' | 'voice')[] };
  const { otp_id } = (await service.call(sendOtp, { apiKey: alice.key(), body })).body;
  await service.drain();
  const [message] = service.twilio.messagesTo(recipient);
  if (!message) throw new Error('No message');
  return { otp_id, message };
}

/**
 * Four plans: the text is skipped, and the code is entered after the text, after the call that follows the failed text, and never.
 * And a plan of a test key, and a send without a plan.
 */
beforeAll(async () => {
  await optOut(service.app.db, optOutFingerprint(service.app, '+14155550130'));
  await planned('+14155550130');
  const bearer = await signedIn(service, alice);
  const test = await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } });
  const body = { recipient: '+15005550001', channels: ['sms' as const, 'voice' as const] };
  expect((await service.call(sendOtp, { apiKey: test.body.key, body })).status).toBe(201);

  const first = await planned('+14155550131');
  await service.clock.advance(40_000);
  await service.twilio.report(first.message, 'delivered');
  await service.clock.advance(60_000);
  await alice.verify(first.otp_id, first.message.code);

  const second = await planned('+14155550132');
  await service.clock.advance(20_000);
  await service.twilio.report(second.message, 'undelivered');
  await service.drain();
  await service.clock.advance(180_000);
  await alice.verify(second.otp_id, second.message.code);
  rescued = second.otp_id;

  await planned('+4915123456789');
  await alice.sent('+14155550133');
  await service.drain();
});

/** Some real time passes too. */
const about = (seconds: number) => expect.closeTo(seconds, -1);

const fallback = async (query: object = {}) => {
  const bearer = await signedIn(service, alice);
  const { status, body } = await service.call(getFallback, { bearer, query: { range: '24h', ...query } });
  expect(status).toBe(200);
  return body;
};

test('each step of plans has its messages, deliveries, right codes, cost and times', async () => {
  const { steps, counted_from, from } = await fallback();
  expect(steps).toEqual([
    {
      ...{ step: 1, channel: 'sms', sent: 3, delivered: 1, verified: 1, skipped: 1, credits: 2 },
      ...{ delivery_seconds: about(40), verify_seconds: about(100) },
    },
    {
      ...{ step: 2, channel: 'voice', sent: 2, delivered: 0, verified: 1, skipped: 0, credits: 2 },
      ...{ delivery_seconds: null, verify_seconds: about(200) },
    },
  ]);
  expect(counted_from).toBe(from);
});

test('steps follow the filters by country and channel', async () => {
  expect((await fallback({ country: 'DE' })).steps).toMatchObject([{ step: 1, sent: 1, verified: 0 }]);
  expect((await fallback({ channel: 'voice' })).steps).toMatchObject([{ step: 2, channel: 'voice' }]);
  expect((await fallback({ api_key: '00000000-0000-7000-8000-000000000000' })).steps).toEqual([]);
});

test('only the newest sends of at most thirty days are read', async () => {
  const now = service.app.clock.now();
  const query = { range: '90d', time_zone: 'UTC' } as const;
  const { steps, from, to, counted_from } = await fallbackOf(service.app.db, alice.account_id, query, now, 2);
  // The newest two are one without a plan and one whose code was never entered.
  expect(steps).toMatchObject([{ step: 1, sent: 1, delivered: 0, verified: 0, skipped: 0, credits: 1 }]);
  expect(Date.parse(to) - Date.parse(from)).toBe(30 * 86_400_000);
  expect(counted_from > from).toBe(true);
});

test('the details of a verification show the steps of its plan', async () => {
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(getVerification, { bearer, params: { id: rescued } });
  expect(body.steps).toMatchObject([
    { channel: 'sms', status: 'failed', reason: 'Not delivered: undelivered' },
    { channel: 'voice', status: 'sent' },
  ]);
  const [resent = ''] = body.resends;
  const call = await service.call(getVerification, { bearer, params: { id: resent } });
  expect(call.body).toMatchObject({ resend_of: rescued });
  expect(call.body.steps).toBeUndefined();
});
