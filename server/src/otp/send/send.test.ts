import { CHANNELS, factsOf } from '@sixdigit/contract/channels.ts';
import { cancelOtp, getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { testService } from '../../../test/service.ts';

const PHONE = '+14155552671';

test('a code is sent, arrives, verifies once, and costs one credit', async () => {
  await using service = await testService();
  const alice = await service.customer('Alice', { credits: 2 });
  const sent = await service.call(sendOtp, {
    apiKey: alice.api_key,
    body: { channel: 'sms', recipient: '(415) 555-2671' },
  });
  expect(sent.status).toBe(201);
  expect(sent.body).toMatchObject({ status: 'pending', channel: 'sms', recipient: PHONE });
  await service.drain();
  const [message] = await service.inbox(PHONE);
  expect(message?.text).toBe(`Your verification code is: ${message?.code}`);

  const { otp_id } = sent.body;
  const verified = await service.call(verifyOtp, {
    apiKey: alice.api_key,
    body: { otp_id, code: message?.code ?? '' },
  });
  expect(verified).toMatchObject({ status: 200, body: { status: 'verified', otp_id } });
  const again = await service.call(verifyOtp, {
    apiKey: alice.api_key,
    body: { otp_id, code: message?.code ?? '' },
  });
  expect(again).toMatchObject({
    status: 400,
    body: { error: 'OTP already verified', reason: 'otp_already_verified' },
  });
  const { credits } = await service.app.db.one<{ credits: number }>(
    'select credits from balances where account_id = $1',
    [alice.account_id],
  );
  expect(credits).toBe(1);
  const state = await service.call(getOtp, { apiKey: alice.api_key, params: { otp_id } });
  expect(state.body.status).toBe('verified');
  const canceled = await service.call(cancelOtp, { apiKey: alice.api_key, params: { otp_id } });
  expect(canceled.body.reason).toBe('otp_already_verified');
});

test.each(CHANNELS)(
  'a send by %s reaches its recipient, and the ledger names the channel by its label',
  async (channel) => {
    await using service = await testService();
    const alice = await service.customer('Alice', { credits: 2 });
    const { label, recipient: kind } = factsOf(channel);
    const recipient = kind === 'phone' ? PHONE : 'ana@example.com';
    const sent = await service.call(sendOtp, { apiKey: alice.api_key, body: { channel, recipient } });
    expect(sent).toMatchObject({ status: 201, body: { channel, recipient } });
    await service.drain();
    const [message] = await service.inbox(recipient);
    expect(message).toMatchObject({ channel });
    const { description } = await service.app.db.one<{ description: string }>(
      "select description from ledger where account_id = $1 and kind = 'usage'",
      [alice.account_id],
    );
    expect(description).toBe(`${label} verification`);
  },
);
