import { resendOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { hasOptedOut, optOut, optOutFingerprint } from '../../messaging/opt-outs/opt-outs.ts';

/** WhatsApp and Telegram: their companies show the code in a text of their own. */
const service = fixture(() => testService());
const alice = fixture(() => sender(service, 'Alice', { keys: 12, scopes: ['otp:own_code'] }));

let turn = 100;
const phone = () => `+1415555${String(turn++).padStart(4, '0')}`;
const whatsapp = { channel: 'whatsapp' };
const telegram = { channel: 'telegram' };

test.each([
  [whatsapp, { message: 'Code: {code}' }],
  [whatsapp, { subject: 'Code' }],
  [whatsapp, { template: 'welcome', variables: { name: 'Ann' } }],
  [telegram, { app_hash: 'FA+9qCX9VSu', domain: 'acme.example' }],
])('a send by %o with a text of its own, %o, is refused with its fields', async (channel, own) => {
  const label = channel === whatsapp ? 'WhatsApp' : 'Telegram';
  const problem = [`${label} shows only its own text with the code.`];
  const { status, body } = await alice.send(phone(), { ...channel, ...own });
  expect(status).toBe(400);
  expect(body).toEqual(Object.fromEntries(Object.keys(own).map((field) => [field, problem])));
});

test('Telegram takes codes of 4 to 8 digits, WhatsApp also longer ones and letters', async () => {
  const problem = ['Telegram delivers only codes of 4 to 8 digits.'];
  const refused = async (more: object) => (await alice.send(phone(), { ...telegram, ...more })).body;
  expect(await refused({ code: 'AB12' })).toEqual({ code: problem });
  expect(await refused({ code: '123456789' })).toEqual({ code: problem });
  expect(await refused({ code_length: 9 })).toEqual({ code_length: problem });
  const recipient = phone();
  await alice.sent(recipient, { code_length: 10 });
  const before = await alice.balance();
  expect((await alice.send(recipient, telegram)).body).toEqual({
    channel: [expect.stringContaining('has 10')],
  });
  expect(await alice.balance()).toBe(before);
  await alice.sent(phone(), { ...telegram, code_length: 8 });
  await alice.sent(phone(), { ...whatsapp, code: 'AB12CD34EF' });
});

test('a message without segments arrives in the sandbox, in its language and at its price', async () => {
  const recipient = phone();
  const { body } = await alice.send(recipient, { ...whatsapp, locale: 'de' });
  expect(body).toMatchObject({ channel: 'whatsapp', segments: null, cost_credits: 1, language: 'de' });
  await service.drain();
  const [message] = await service.inbox(recipient);
  expect(message).toMatchObject({ channel: 'whatsapp', text: expect.stringContaining(message?.code ?? '') });
  const { rows } = {
    rows: await service.app.db.rows('select description from ledger where id = $1', [body.otp_id]),
  };
  expect(rows).toEqual([{ description: 'WhatsApp verification' }]);
  expect(await alice.state(body.otp_id)).toMatchObject({ status: 'sent', channel: 'whatsapp' });
});

test('a resend by WhatsApp replaces a text of ours, but not one of the sender', async () => {
  const resend = (otp_id: string) =>
    service.call(resendOtp, { apiKey: alice.key(), params: { otp_id }, body: { channel: 'whatsapp' } });
  const ours = phone();
  const otp_id = await alice.sent(ours, { locale: 'fr', app_hash: 'FA+9qCX9VSu' });
  await service.drain();
  const code = await alice.code(ours);
  expect(await resend(otp_id)).toMatchObject({ status: 200, body: { channel: 'whatsapp', segments: null } });
  await service.drain();
  expect(await alice.code(ours)).toBe(code);
  const own = await alice.sent(phone(), { message: 'Acme: {code}' });
  expect((await resend(own)).body).toEqual({ message: [expect.stringContaining('its own text')] });
});

test('a number that replied STOP gets no WhatsApp message', async () => {
  const recipient = phone();
  await optOut(service.app.db, optOutFingerprint(service.app, recipient));
  expect(await hasOptedOut(service.app.db, service.app, recipient)).toBe(true);
  expect((await alice.send(recipient, whatsapp)).body).toMatchObject({ reason: 'recipient_opted_out' });
  await alice.sent(recipient, telegram);
});
