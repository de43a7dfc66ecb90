import { cancelVerification, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { listVerificationWebhooks, replayWebhookMessage } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { webhookFixture } from '../../test/webhook-fixture.ts';

const service = fixture(testService);
const hooks = fixture(() => webhookFixture(service));

const send = async (recipient: string): Promise<string> => {
  const { alice } = hooks;
  const body = { channel: 'email', recipient } as const;
  const sent = await service.call(sendOtp, { apiKey: alice.api_key, body });
  expect(sent.status).toBe(201);
  return sent.body.otp_id;
};
const messages = async (id: string, bearer?: string) =>
  service.call(listVerificationWebhooks, { bearer: bearer ?? hooks.alice.bearer, params: { id } });

test('the messages about a verification are listed with the outcome of their last attempt', async () => {
  const { alice, receiver } = hooks;
  const endpoint = await alice.addEndpoint(receiver.at('/ok'));
  const id = await send('listed@example.com');
  const canceled = await send('canceled@example.com');
  await service.call(cancelVerification, { bearer: alice.bearer, params: { id: canceled } });
  await service.drain();
  const code = (await service.inbox('listed@example.com'))[0]?.code ?? '';
  await service.call(verifyOtp, { apiKey: alice.api_key, body: { otp_id: id, code } });
  await service.drain();

  const { results } = (await messages(id)).body;
  expect(results.map(({ event_type }) => event_type)).toEqual(['otp.sent', 'otp.verified']);
  for (const message of results)
    expect(message).toMatchObject({
      endpoint: { id: endpoint.id, name: endpoint.name },
      attempts: 1,
      response_status: 200,
      succeeded: true,
      next_attempt_at: null,
    });
  expect((await messages(canceled)).body.results.map(({ event_type }) => event_type)).toEqual([
    'otp.expired',
  ]);

  const message_id = results[0]?.message_id ?? '';
  await service.call(replayWebhookMessage, {
    bearer: alice.bearer,
    params: { id: endpoint.id, message_id },
  });
  await service.drain();
  expect((await messages(id)).body.results.map(({ attempts }) => attempts)).toEqual([2, 1]);
});

test('a message that waits for its first attempt has none', async () => {
  const { alice, receiver } = hooks;
  const id = await send('waiting@example.com');
  await service.drain();
  await alice.addEndpoint(receiver.at('/ok'));
  await service.call(cancelVerification, { bearer: alice.bearer, params: { id } });
  const waiting = (await messages(id)).body.results.filter(({ event_type }) => event_type === 'otp.expired');
  expect(waiting.length).toBeGreaterThan(0);
  for (const message of waiting)
    expect(message).toMatchObject({ attempts: 0, response_status: null, succeeded: false });
});
