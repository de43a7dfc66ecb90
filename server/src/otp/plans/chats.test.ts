import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import { beforeAll, expect, test } from 'vitest';
import { carrierSetupStage, type NewSetup, reason } from '../../../test/carrier-setups.ts';
import { CHATS } from '../../../test/fakes/companies/chats.ts';
import { type CompanyFake, type Reported, startCompany } from '../../../test/fakes/companies/company.ts';
import type { Said, TakenMessage } from '../../../test/fakes/companies/wire.ts';
import { fixture } from '../../../test/fixture.ts';

/** Plans whose first channels are WhatsApp and Telegram, with fakes of both companies, and a gateway for texts. */
const { service, olivia, alice, phone, gateway, add, setup, switched, remove, routed } = carrierSetupStage({
  SANDBOX: '0',
  WEBHOOK_ALLOW_PRIVATE: '1',
});
// Without the sandbox's inbox, a channel without a carrier is unavailable, and operators need a second factor.
beforeAll(() =>
  service.app.db.run('update people set two_factor_enabled = true where id = $1', [olivia.account_id]),
);
const fakeOf = (kind: string) =>
  fixture(async () => {
    const company = CHATS.find((one) => one.kind === kind);
    if (!company) throw new Error(`No company ${kind}`);
    return { ...(await startCompany(company, () => service.app.clock.now())), company };
  });
const [whatsapp, telegram] = [fakeOf('whatsapp'), fakeOf('telegram')];

async function added(fake: typeof whatsapp) {
  const { kind, channel, fields } = fake.company;
  const body = { name: `the-${kind}`, kind, channels: [channel], api_url: fake.url, ...fields, reason };
  expect(await add(body as NewSetup)).toMatchObject({ status: 201 });
}
const after = async (seconds: number) => {
  await service.clock.advance(seconds * 1_000);
  await service.drain();
};
/** Sends a plan and dispatches its first message. */
async function planned(more: object = {}) {
  await added(whatsapp);
  await added(telegram);
  expect(await add(gateway())).toMatchObject({ status: 201 });
  const recipient = phone();
  const before = await alice.balance();
  const { status, body } = await service.call(sendOtp, {
    apiKey: alice.key(),
    body: { recipient, channels: ['whatsapp', 'telegram', 'sms'], wait_seconds: 60, ...more },
  });
  expect([status, body.channel]).toEqual([201, 'whatsapp']);
  await service.drain();
  return { otp_id: body.otp_id, recipient, before, message: whatsapp.messageTo(recipient) };
}
const report = async (fake: CompanyFake, message: TakenMessage, said: Said, options: Reported = {}) => {
  const { report_url } = await setup('the-whatsapp');
  const callback = fake.report(message, said, { ...(report_url && { url: report_url }), ...options });
  const url = callback.url.replace(/^https?:\/\/[^/]+/, '');
  const { headers, body: payload } = callback;
  expect((await service.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(204);
};
const steps = async (otp_id: string) => (await alice.state(otp_id)).steps?.map(({ at: _, ...step }) => step);
const notes = async (otp_id: string) => (await alice.history(otp_id)).map((entry) => entry.notes);
/** What the messages of a verification cost by the ledger, and by their own columns. */
const costs = (otp_id: string) =>
  service.app.db.rows<{ channel: string; cost: number; charged: number }>(
    `select v.channel, v.cost_credits as cost, -sum(l.credits)::integer as charged from verifications v
     join ledger l on l.account_id = v.account_id and (l.id = v.id or l.reference = 'refund:' || v.id)
     where v.id = $1 or v.resend_of = $1 group by v.id, v.channel, v.cost_credits order by v.id`,
    [otp_id],
  );
/** What the company took for a message of a verification, without what it returned. */
const carrierPrice = async (otp_id: string, channel: string) =>
  (
    await service.app.db.one<{ price: string }>(
      'select carrier_price::text as price from verifications where resend_of = $1 and channel = $2',
      [otp_id, channel],
    )
  ).price;

test('a WhatsApp message that is delivered after its failure stops the plan, and stays refunded', async () => {
  const { otp_id, recipient, message, before } = await planned();
  await report(whatsapp, message, 'failed');
  await service.drain();
  expect(telegram.messageTo(recipient).text).toBe(message.text);
  await report(whatsapp, message, 'delivered');
  await after(200);
  expect(await steps(otp_id)).toEqual([
    { channel: 'whatsapp', status: 'delivered' },
    { channel: 'telegram', status: 'sent' },
    { channel: 'sms', status: 'waiting' },
  ]);
  expect(service.http.messagesTo(recipient)).toEqual([]);
  const { status, delivered_at } = await alice.state(otp_id);
  expect([status, delivered_at]).toEqual(['sent', expect.any(String)]);
  expect(await costs(otp_id)).toEqual([
    { channel: 'whatsapp', cost: 0, charged: 0 },
    { channel: 'telegram', cost: 1, charged: 1 },
  ]);
  expect(await alice.balance()).toBe(before - 1);
  // Late, the other message fails too, which does not fail a verification of which one message arrived.
  const chat = telegram.messageTo(recipient);
  for (const [said, price] of [
    ['sent', '0.01'],
    ['failed', '0'],
  ] as const) {
    await report(telegram, chat, said, { url: chat.report_url ?? '' });
    await service.drain();
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect(await carrierPrice(otp_id, 'telegram')).toBe(price);
  }
  expect((await alice.verify(otp_id, message.text)).status).toBe(200);
});

test.each(['failed', 'sent'])(
  'a plan that a delivery ended goes on after a resend that %s',
  async (outcome) => {
    const { otp_id, recipient, message } = await planned();
    await report(whatsapp, message, 'delivered');
    await after(61);
    const apiKey = alice.key();
    const again = await service.call(resendOtp, { apiKey, params: { otp_id }, body: {} });
    expect(again.body).toMatchObject({ channel: 'telegram' });
    await service.drain();
    const { report_url } = telegram.messageTo(recipient);
    if (outcome === 'failed')
      await report(telegram, telegram.messageTo(recipient), 'failed', { url: report_url ?? '' });
    await after(outcome === 'failed' ? 1 : 61);
    expect((await steps(otp_id))?.map(({ status }) => status)).toEqual(['delivered', outcome, 'sent']);
  },
);

test('a step whose carrier was deleted since the send is skipped, and the next one starts', async () => {
  const { otp_id, recipient, before, message } = await planned({ wait_seconds: 900, expires_in: 3_600 });
  await switched('the-telegram', false);
  await after(700);
  const { version } = await setup('the-telegram');
  expect((await remove('the-telegram', version)).status).toBe(200);
  await after(201);
  expect(await steps(otp_id)).toEqual([
    { channel: 'whatsapp', status: 'sent' },
    { channel: 'telegram', status: 'skipped', reason: 'channel_unavailable' },
    { channel: 'sms', status: 'sent' },
  ]);
  expect((await notes(otp_id)).slice(-2)).toEqual([
    'Telegram skipped: channel unavailable',
    'SMS: the message before it was not confirmed in time',
  ]);
  expect(service.http.messagesTo(recipient).map(({ code }) => code)).toEqual([message.text]);
  expect(await alice.balance()).toBe(before - 2);
});

test('a step whose carrier is paused waits for its turn, does not delay the next one, and is refunded at the end', async () => {
  const { otp_id, recipient, before } = await planned();
  await routed('the-telegram', { channel: 'telegram', is_paused: true });
  await after(61);
  expect(await steps(otp_id)).toEqual([
    { channel: 'whatsapp', status: 'sent' },
    { channel: 'telegram', status: 'pending' },
    { channel: 'sms', status: 'waiting' },
  ]);
  await after(61);
  expect((await steps(otp_id))?.[2]).toEqual({ channel: 'sms', status: 'sent' });
  expect(service.http.messagesTo(recipient)).toHaveLength(1);
  expect(await alice.balance()).toBe(before - 3);
  await after(200);
  expect((await alice.state(otp_id)).status).toBe('expired');
  expect(await costs(otp_id)).toMatchObject([
    { channel: 'whatsapp', charged: 1 },
    { channel: 'telegram', charged: 0 },
    { channel: 'sms', charged: 1 },
  ]);
  expect(telegram.messages.filter(({ to }) => to === recipient)).toEqual([]);
  expect(await alice.balance()).toBe(before - 2);
  await routed('the-telegram', { channel: 'telegram', is_paused: false });
});
