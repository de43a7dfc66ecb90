import { beforeEach, expect, test } from 'vitest';
import { hunt, placesOfLog } from '../../../test/canary-hunt.ts';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { numberOf } from '../../../test/fakes/behaviour.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { otpJobs } from '../jobs.ts';

/** Dispatch of a code from the queue to a carrier, and failover when a carrier refuses it. */
let count = 0;
const phone = () => `+1415555${6000 + ++count}`;
const mailbox = (behaviour = 'reader') => `${behaviour}+${++count}@example.com`;

const service = fixture(() => serviceWithCarriers(['smtp', 'twilio', 'http']));
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));
beforeEach(async () => {
  service.smtp.everyone = service.twilio.everyone = service.http.everyone = undefined;
  // Leaves the breaker window of the previous test.
  await service.clock.advance(60_000);
});

async function sent(recipient: string, more?: Record<string, unknown>) {
  const before = await alice.balance();
  const otp_id = await alice.sent(recipient, more);
  await service.drain();
  return { otp_id, recipient, before };
}
const detail = (otp_id: string) =>
  service.app.db.one<{ carrier: string | null; provider_message_id: string | null; failure: string | null }>(
    'select carrier, provider_message_id, failure from verifications where id = $1',
    [otp_id],
  );
const queued = async (otp_id: string) =>
  (await service.app.db.rows('select 1 from deliveries where id = $1', [otp_id])).length;

test("an e-mail code carries the account's branding in text and HTML, and no code in its subject", async () => {
  const bob = await sender(service, 'Bob');
  await service.app.db.run(
    `update accounts set sender_name = 'Acme <b>& Co', reply_to_email = 'help@acme.test',
         default_subject = 'Sign in to Acme', default_message = E'Welcome to Acme.\\n\\nYour code: {code}' where id = $1`,
    [bob.account_id],
  );
  const recipient = mailbox();
  const otp_id = await bob.sent(recipient);
  await service.drain();
  const mail = await service.smtp.waitForMailTo(recipient);
  expect(mail.from).toEqual({ name: 'Acme <b>& Co', address: 'codes@sixdigit.test' });
  expect(mail.replyTo).toEqual([{ name: '', address: 'help@acme.test' }]);
  expect(mail.subject).toBe('Sign in to Acme');
  expect(mail.text).toContain(`Welcome to Acme.\n\nYour code: ${mail.code}`);
  expect(mail.html).toContain('Acme &lt;b&gt;&amp; Co');
  expect(mail.html).not.toContain('Acme <b>');
  expect(mail.html).toContain(mail.code);
  expect((await bob.verify(otp_id, mail.code)).status).toBe(200);
  const headers = mail.raw.slice(0, mail.raw.indexOf('\r\n\r\n'));
  expect(hunt([{ kind: 'code', text: mail.code }], [{ name: 'headers', text: headers }])).toEqual([]);
  expect(await detail(otp_id)).toMatchObject({
    carrier: 'smtp',
    provider_message_id: `<otp.${otp_id}@sixdigit.test>`,
  });
});

test('an e-mail code uses the subject and message of the send if given', async () => {
  const recipient = mailbox();
  await sent(recipient, { subject: 'Grüße – {code} – ready?', message: '{code} – or {code}. <script>' });
  const mail = await service.smtp.waitForMailTo(recipient);
  expect(mail.subject).toBe(`Grüße – ${mail.code} – ready?`);
  expect(mail.text).toContain(`${mail.code} – or ${mail.code}. <script>`);
  expect(mail.html).not.toContain('<script>');
});

test('an e-mail code is marked sent, never delivered, when the mail server accepts it', async () => {
  const { otp_id } = await sent(mailbox());
  expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: null, cost_credits: 1 });
  expect(await alice.history(otp_id)).toEqual([
    { from: null, to: 'pending', notes: null },
    { from: 'pending', to: 'sent', notes: 'Accepted by smtp' },
  ]);
  expect(await queued(otp_id)).toBe(0);
});

test('a usual dispatch and a right code store no history line, and the history shows both', async () => {
  const recipient = mailbox();
  const { otp_id } = await sent(recipient);
  const { code } = await service.smtp.waitForMailTo(recipient);
  expect((await alice.verify(otp_id, code)).status).toBe(200);
  expect(await alice.history(otp_id)).toEqual([
    { from: null, to: 'pending', notes: null },
    { from: 'pending', to: 'sent', notes: 'Accepted by smtp' },
    { from: 'sent', to: 'verified', notes: null },
  ]);
  expect(await service.app.db.rows('select notes from status_history where otp_id = $1', [otp_id])).toEqual(
    [],
  );
});

test('an SMS code goes to Twilio with a report URL and a validity period that ends by its expiry', async () => {
  const { otp_id, recipient } = await sent(phone(), { message: 'Acme: {code}', expires_in: 60 });
  const message = await service.twilio.waitForMessageTo(recipient);
  expect(message).toMatchObject({
    kind: 'sms',
    from: '+12025550199',
    body: `Acme: ${message.code}`,
    idempotencyKey: `otp:${otp_id}`,
    statusCallback: `http://sixdigit.test/api/v1/carriers/twilio/status/?otp=${otp_id}&account=${alice.account_id}`,
  });
  expect(Number(message.params.ValidityPeriod)).toBeLessThanOrEqual(60);
  expect(await detail(otp_id)).toMatchObject({ carrier: 'twilio', provider_message_id: message.sid });
  expect((await alice.verify(otp_id, message.code)).status).toBe(200);
});

test('a custom gateway receives the complete, signed message', async () => {
  await using own = await serviceWithCarriers(['http']);
  const carol = await sender(own, 'Carol');
  for (const [recipient, channel] of [
    [phone(), 'sms'],
    [phone(), 'voice'],
    [mailbox(), 'email'],
  ] as const) {
    const otp_id = await carol.sent(recipient, { channel });
    await own.drain();
    const message = await own.http.waitForMessageTo(recipient);
    expect(message).toMatchObject({ id: otp_id, channel, recipient });
    expect(message.status_url).toContain(`/carriers/http/status/?otp=${otp_id}&account=`);
    expect(message.html === null).toBe(channel !== 'email');
    expect((await carol.verify(otp_id, message.code)).status).toBe(200);
  }
});

test.each(['error', 'limit', 'unauthorized', 'refuse'] as const)(
  'a text or call fails over to the next carrier with the same code: %s',
  async (behaviour) => {
    service.twilio.everyone = behaviour;
    const { otp_id, recipient } = await sent(phone());
    const message = await service.http.waitForMessageTo(recipient);
    expect(await detail(otp_id)).toMatchObject({
      carrier: 'http',
      provider_message_id: message.message_id,
    });
    expect((await alice.verify(otp_id, message.code)).status).toBe(200);
    expect(service.twilio.messagesTo(recipient)).toEqual([]);
  },
);

test.each(['defer', 'reject', 'busy', 'drop'])(
  'a mail fails over to the next carrier after the mail server behaves like "%s"',
  async (behaviour) => {
    const { otp_id, recipient } = await sent(mailbox(behaviour));
    await service.http.waitForMessageTo(recipient);
    expect(await detail(otp_id)).toMatchObject({ carrier: 'http' });
  },
);

test('a definite refusal by an unreachable carrier fails over to the next one', async () => {
  const { port } = service.smtp;
  await service.smtp.close();
  const { recipient } = await sent(mailbox());
  await service.smtp.start(port);
  await service.http.waitForMessageTo(recipient);
});

test('after a definite refusal of the recipient, no other carrier is tried', async () => {
  const { otp_id, recipient, before } = await sent(numberOf.filtered);
  expect(service.http.messagesTo(recipient)).toEqual([]);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect((await detail(otp_id)).failure).toContain('filtered');
  expect(await alice.balance()).toBe(before);
});

test('a definite refusal by every carrier fails the verification with one refund', async () => {
  service.twilio.everyone = service.http.everyone = 'refuse';
  const { otp_id, before } = await sent(phone());
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect(await alice.balance()).toBe(before);
  expect((await alice.entries()).at(-1)).toEqual(['refund', 1]);
  expect(await queued(otp_id)).toBe(0);
  await service.clock.advance(300_000);
  await service.drain();
  expect(await alice.balance()).toBe(before);
});

test('a code refused by unavailable carriers is retried and sent if one recovers in time', async () => {
  service.twilio.everyone = service.http.everyone = 'error';
  const { otp_id, recipient } = await sent(phone());
  service.twilio.everyone = undefined;
  await service.clock.advance(2_000);
  await service.drain();
  const message = await service.twilio.waitForMessageTo(recipient);
  expect((await alice.verify(otp_id, message.code)).status).toBe(200);
});

test('an unavailable carrier is skipped after five consecutive failures and probed ten seconds later', async () => {
  service.twilio.everyone = 'error';
  for (let n = 0; n < 5; n++) await sent(phone());
  const requests = service.twilio.requests;
  for (let n = 0; n < 5; n++) await sent(phone());
  expect(service.twilio.requests).toBe(requests);
  service.twilio.everyone = undefined;
  await service.clock.advance(10_000);
  const probe = await sent(phone());
  const after = await sent(phone());
  for (const { otp_id } of [probe, after]) expect((await detail(otp_id)).carrier).toBe('twilio');
});

test('messages stay queued while their only carrier is unavailable, and are sent once it recovers', async () => {
  await using alone = await serviceWithCarriers(['twilio']);
  const dave = await sender(alone, 'Dave');
  alone.twilio.everyone = 'error';
  for (let n = 0; n < 5; n++) await dave.sent(phone());
  await alone.drain();
  const recipient = phone();
  const otp_id = await dave.sent(recipient);
  for (let n = 0; n < 4; n++) {
    await alone.drain();
    await alone.clock.advance(2_000);
  }
  expect((await dave.state(otp_id)).status).toBe('pending');
  alone.twilio.everyone = undefined;
  await alone.clock.advance(10_000);
  await alone.drain();
  await alone.clock.advance(2_000);
  await alone.drain();
  expect(alone.twilio.messagesTo(recipient)).toHaveLength(1);
  expect((await dave.state(otp_id)).status).toBe('sent');
});

test('a hanging carrier does not delay other channels', async () => {
  await using mixed = await serviceWithCarriers(['twilio', 'http'], { EMAIL_CARRIERS: 'http' });
  const frank = await sender(mixed, 'Frank', { credits: 200 });
  const [job] = otpJobs(mixed.app);
  mixed.http.everyone = 'hang';
  await Promise.all(Array.from({ length: 140 }, () => frank.sent(mailbox())));
  while (await job?.run(mixed.worker)) {
    // until every slot is taken
  }
  const recipient = phone();
  await frank.sent(recipient);
  await job?.run(mixed.worker);
  await mixed.twilio.waitForMessageTo(recipient);
  await mixed.http.close();
  await job?.idle?.();
});

test('a dispatch that fails does not interrupt the other messages of its claim', async () => {
  const { db } = service.app;
  const recipients = [phone(), phone(), phone()];
  const ids = await Promise.all(recipients.map((recipient) => alice.sent(recipient)));
  const [job] = otpJobs(service.app);
  service.twilio.everyone = 'slow';
  // The first one can no longer be decrypted, as after the loss of a server key.
  await db.run(`update deliveries set sealed = 'no longer to be opened' where id = $1`, [ids[0]]);
  await job?.run(service.worker);
  await job?.run(service.worker);
  await job?.idle?.();
  const statuses = await Promise.all(ids.map(async (id) => (await alice.state(id)).status));
  expect(statuses).toEqual(['pending', 'sent', 'sent']);
  await service.clock.advance(300_000);
  await service.drain();
  expect(await alice.state(ids[0] ?? '')).toMatchObject({ status: 'failed', cost_credits: 0 });
});

test('carriers are tried in the order that the operator configured', async () => {
  await using turned = await serviceWithCarriers(['twilio', 'http'], { SMS_CARRIERS: 'http,twilio' });
  const erin = await sender(turned, 'Erin');
  const recipient = phone();
  await erin.sent(recipient);
  await turned.drain();
  await turned.http.waitForMessageTo(recipient);
  expect(turned.twilio.messages).toEqual([]);
});

test('the code is only in the message itself, not in other carrier fields or the log', async () => {
  service.twilio.everyone = service.http.everyone = 'refuse';
  const { otp_id } = await sent(phone());
  service.twilio.everyone = service.http.everyone = undefined;
  const { recipient } = await sent(phone());
  const { code } = await service.twilio.waitForMessageTo(recipient);
  const log = service.logLines.join('\n');
  expect(log).toContain(otp_id);
  expect(log).not.toContain(recipient);
  expect(hunt([{ kind: 'code', text: code }], placesOfLog(service.logLines))).toEqual([]);
});
