import { getBranding, previewBranding, updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { forgotPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { CHANNELS, factsOf } from '@sixdigit/contract/channels.ts';
import { cancelOtp, getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

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

/** The sender of mails where EMAIL_FROM has a name. */
const service = fixture(() =>
  serviceWithCarriers(['smtp'], {
    EMAIL_FROM: 'Acme.com Codes <codes@acme.example>',
    MESSAGE_LINKS: 'listed',
    PUBLIC_URL: 'http://sixdigit.example',
  }),
);
const alice = fixture(() => sender(service, 'Alice'));

async function mailTo(recipient: string) {
  await alice.sent(recipient);
  await service.drain();
  return service.smtp.waitForMailTo(recipient);
}

test('an account without a sender name sends mail under the name in EMAIL_FROM', async () => {
  const mail = await mailTo('one@people.example');
  expect(mail.from).toEqual({ name: 'Acme.com Codes', address: 'codes@acme.example' });
  expect(mail.html).toContain('Acme.com Codes');
  expect(mail.text).not.toContain('on behalf of');
  expect(mail.hello).toBe('sixdigit.example');
});

test('the settings show the default sender name, saving keeps it as the default, and the preview matches the mail', async () => {
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(getBranding, { bearer });
  expect(body.sender_name).toBe('Acme.com Codes');
  expect((await service.call(updateBranding, { bearer, body })).status).toBe(200);
  expect(
    await service.app.db.one('select sender_name from accounts where id = $1', [alice.account_id]),
  ).toEqual({ sender_name: '' });
  const preview = await service.call(previewBranding, { bearer, body });
  expect(preview.body.text).toContain('Acme.com Codes');
  expect(preview.body.text).not.toContain('on behalf of');
});

test("an account's own sender name overrides the default, and the mail identifies the service", async () => {
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(getBranding, { bearer });
  await service.call(updateBranding, { bearer, body: { ...body, sender_name: 'Bobs Shop' } });
  const mail = await mailTo('two@people.example');
  expect(mail.from?.name).toBe('Bobs Shop');
  expect(mail.text).toContain('Sent by Sixdigit on behalf of Bobs Shop.');
});

test("the service's own mails also use the name in EMAIL_FROM", async () => {
  await service.call(forgotPassword, { body: { email: alice.email } });
  await service.drain();
  const mail = await service.smtp.waitForMailTo(alice.email);
  expect(mail.from).toEqual({ name: 'Acme.com Codes', address: 'codes@acme.example' });
});
