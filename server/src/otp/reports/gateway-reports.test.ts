import { beforeEach, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { dumpTables } from '../../../test/table-dump.ts';

/** Signed delivery reports of a custom HTTP gateway. */
let count = 0;

const service = fixture(() =>
  serviceWithCarriers(['twilio', 'http'], { EMAIL_CARRIERS: 'http', VOICE_CARRIERS: 'http' }),
);
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));
beforeEach(async () => {
  await service.clock.advance(1_000);
});

async function mailed() {
  const recipient = `reader-${++count}@example.com`;
  const before = await alice.balance();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  return { otp_id, message: await service.http.waitForMessageTo(recipient), before };
}

test('a custom gateway reports delivery and failure', async () => {
  const one = await mailed();
  expect(await service.http.report(one.message, 'delivered')).toBe(204);
  expect((await alice.state(one.otp_id)).delivered_at).not.toBeNull();
  for (const status of ['undelivered', 'failed'] as const) {
    const { otp_id, message, before } = await mailed();
    expect(await service.http.report(message, status, { reason: 'mailbox_full' })).toBe(204);
    expect(await alice.state(otp_id)).toMatchObject({
      status: 'failed',
      failure: 'Not delivered: mailbox full',
    });
    expect(await alice.balance()).toBe(before);
  }
});

test.each([
  (digits: string) => `no_route_to_${digits}`,
  (digits: string) => `no_route_to_${digits.match(/.{1,3}/g)?.join('_')}`,
  (digits: string) => [...`to${digits}`].join('_'),
  (digits: string) => `x${digits.slice(-4)}`,
])('a custom gateway’s report cannot store a number or a code in a note (case %#)', async (reasonOf) => {
  const recipient = `+1415555${3000 + ++count}`;
  const otp_id = await alice.sent(recipient, { channel: 'voice' });
  await service.drain();
  const message = await service.http.waitForMessageTo(recipient);
  for (const quoted of [recipient.slice(1), message.code]) {
    const reason = reasonOf(quoted);
    expect(await service.http.report(message, 'undelivered', { reason })).toBe(204);
    expect((await alice.state(otp_id)).failure).toBe('Not delivered: undelivered');
    const digits = (text: string) => text.replaceAll('_', '').replaceAll(' ', '');
    for (const { table, text } of await dumpTables(service.app.db))
      expect(digits(text), table).not.toContain(digits(reason));
  }
});

test('a custom gateway’s report is refused if it is forged, old or has an unknown status', async () => {
  const { otp_id, message } = await mailed();
  expect(await service.http.report(message, 'failed', { forged: true })).toBe(404);
  const url = message.status_url ?? '';
  const path = url.slice('http://sixdigit.test'.length);
  const old = service.http.callback(url, { otp_id, status: 'failed' });
  await service.clock.advance(301_000);
  const answer = await service.inject({
    method: 'POST',
    url: path,
    headers: old.headers,
    payload: old.body,
  });
  expect(answer.statusCode).toBe(404);
  for (const body of [{}, [], null, { status: 'opened' }, { status: ['failed'] }, 'failed', 5]) {
    const odd = service.http.callback(url, body);
    const reply = await service.inject({
      method: 'POST',
      url: path,
      headers: odd.headers,
      payload: odd.body,
    });
    expect(reply.statusCode).toBe(400);
  }
  expect((await alice.state(otp_id)).status).not.toBe('failed');
});

test('a custom gateway’s report is matched by the verification in the signed body, not by the URL', async () => {
  const one = await mailed();
  const two = await mailed();
  const url = two.message.status_url ?? '';
  expect(await service.http.report(one.message, 'failed', { url })).toBe(204);
  expect((await alice.state(two.otp_id)).status).toBe('sent');
  expect((await alice.state(one.otp_id)).status).toBe('failed');
});

test('a custom gateway’s report with ids that the database cannot store causes no error', async () => {
  // The response was lost, so that the report is the first to contain an id.
  service.http.everyone = 'reset';
  const { otp_id, message } = await mailed();
  service.http.everyone = undefined;
  const url = message.status_url ?? '';
  const odd = service.http.callback(url, { status: 'delivered', otp_id, message_id: 'a\0\ud800b' });
  const path = url.slice('http://sixdigit.test'.length);
  const reply = await service.inject({
    method: 'POST',
    url: path,
    headers: odd.headers,
    payload: odd.body,
  });
  expect(reply.statusCode).toBe(204);
  const row = await service.app.db.one('select provider_message_id from verifications where id = $1', [
    otp_id,
  ]);
  expect(row).toEqual({ provider_message_id: 'a\ufffdb' });
});
