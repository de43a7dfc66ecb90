import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { report } from './reports.ts';

/** Delivery reports that arrive after the verification has changed. */
let count = 0;

const service = fixture(() => serviceWithCarriers(['twilio', 'http'], { EMAIL_CARRIERS: 'http' }));
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));

async function taken() {
  const recipient = `+1415555${7000 + ++count}`;
  const otp_id = await alice.sent(recipient, { channel: 'sms' });
  await service.drain();
  const message = await service.twilio.waitForMessageTo(recipient);
  return { otp_id, message, after: await alice.balance() };
}
const failure = (otp_id: string, carrier: string) => ({
  carrier,
  account_id: alice.account_id,
  otp_id,
  state: 'undelivered' as const,
  provider_message_id: null,
  reason: null,
});

test('a failure refunds only when the carrier that has the message reports it', async () => {
  const { otp_id, after } = await taken();
  await report(service.app, failure(otp_id, 'http'));
  expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', cost_credits: 1 });
  expect(await alice.balance()).toBe(after);
  await report(service.app, failure(otp_id, 'twilio'));
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect(await alice.balance()).toBe(after + 1);
});

test('a verification that its owner canceled after it was sent is not refunded by a late failure', async () => {
  const { otp_id, message, after } = await taken();
  expect((await alice.cancel(otp_id)).status).toBe(200);
  expect(await alice.balance()).toBe(after);
  expect(await service.twilio.report(message, 'undelivered')).toBe(204);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'expired', cost_credits: 1 });
  expect(await alice.balance()).toBe(after);
});

test('an expired verification is refunded once by a late failure report', async () => {
  const { otp_id, message, after } = await taken();
  await service.clock.advance(600_000);
  await service.drain();
  for (let n = 0; n < 2; n++) expect(await service.twilio.report(message, 'undelivered')).toBe(204);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'expired', cost_credits: 0 });
  expect(await alice.balance()).toBe(after + 1);
});

test('a report that names another account changes nothing', async () => {
  const { otp_id, after } = await taken();
  const bob = await sender(service, 'Bob');
  expect(await report(service.app, { ...failure(otp_id, 'twilio'), account_id: bob.account_id })).toBe(false);
  expect((await alice.state(otp_id)).status).toBe('sent');
  expect(await alice.balance()).toBe(after);
});
