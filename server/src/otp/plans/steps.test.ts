import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { optOut, optOutFingerprint } from '../../messaging/opt-outs/opt-outs.ts';
import { report } from '../reports/reports.ts';

/** The later steps of plans: when they start, what they repeat, and what webhooks say of them. */
const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 1_000, keys: 20 }));

let count = 0;
const phone = () => `+1415555${4000 + ++count}`;
const send = (body: object) =>
  service.call(sendOtp, { apiKey: alice.key(), body: { recipient: phone(), ...body } });
const planned = async (body: object = {}) => {
  const sent = await send({ channels: ['sms', 'voice'], ...body });
  expect(sent.status).toBe(201);
  await service.drain();
  return sent.body;
};
const after = async (seconds: number) => {
  await service.clock.advance(seconds * 1000);
  await service.drain();
};
const steps = async (otp_id: string) => (await alice.state(otp_id)).steps?.map(({ at: _, ...step }) => step);

/** Reports as of a carrier whose reports may be late. */
async function reported(account_id: string, otp_id: string, state: 'delivered' | 'undelivered') {
  const rest = { carrier: 'sandbox', provider_message_id: null, reason: null };
  expect(await report(service.app, { ...rest, account_id, otp_id, state })).toBe(true);
  await service.drain();
}

test.each([
  [{ expires_in: 300, wait_seconds: 120 }, [0, 120, 240, null]],
  [{ expires_in: 300 }, [0, 60, 120, 180]],
  [{ expires_in: 120 }, [0, 30, 60, 90]],
])('a plan with %j shows when its channels start: %j', async (more, seconds) => {
  const channels = ['sms', 'voice', 'telegram', 'whatsapp'];
  const { body } = await send({ channels, ...more });
  const { steps: shown = [], created_at } = await alice.state(body.otp_id);
  const from = Date.parse(created_at);
  expect(shown.map(({ at }) => at && (Date.parse(at) - from) / 1000)).toEqual(seconds);
});

test('a verification of which one message arrived late does not fail with the last one', async () => {
  const { otp_id } = await planned();
  await reported(alice.account_id, otp_id, 'undelivered');
  await reported(alice.account_id, otp_id, 'delivered');
  const [call] = (await alice.state(otp_id)).resends ?? [];
  await reported(alice.account_id, call?.resend_id ?? '', 'undelivered');
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'sent',
    steps: [{ status: 'delivered' }, { status: 'failed' }],
  });
});

test.each([
  ['an earlier one', [1, 0]],
  ['a resend after the plan’s own', [0, 1, 2]],
])('a verification fails with its last message, also if that is %s', async (_, order) => {
  const { otp_id } = await planned();
  await after(61);
  if (order.length > 2) {
    const again = { apiKey: alice.key(), params: { otp_id }, body: {} };
    expect((await service.call(resendOtp, again)).body).toMatchObject({ channel: 'sms' });
    await service.drain();
  }
  const { resends = [] } = await alice.state(otp_id);
  const messages = [otp_id, ...resends.map(({ resend_id }) => resend_id)];
  expect(messages).toHaveLength(order.length);
  for (const place of order) {
    expect((await alice.state(otp_id)).status).toBe('sent');
    await reported(alice.account_id, messages[place] ?? '', 'undelivered');
  }
  expect((await alice.state(otp_id)).status).toBe('failed');
});

test('an earlier message that fails does not start the next step before its time', async () => {
  const { otp_id } = await planned({ channels: ['sms', 'voice', 'telegram'] });
  await after(61);
  await reported(alice.account_id, otp_id, 'undelivered');
  expect((await steps(otp_id))?.map(({ status }) => status)).toEqual(['failed', 'sent', 'waiting']);
});

test('the event of a step that starts says whether a failure or a request started it', async () => {
  const erik = await sender(service, 'Erik', { keys: 8 });
  const bearer = await signedIn(service, erik);
  const hook = { name: 'Steps', url: 'https://hook.example/', send_on_step: true, send_on_sent: false };
  await service.call(createWebhook, { bearer, body: hook });
  const { otp_id } = (
    await service.call(sendOtp, {
      apiKey: erik.key(),
      body: { recipient: phone(), channels: ['sms', 'voice', 'telegram'] },
    })
  ).body;
  await service.deliver();
  await reported(erik.account_id, otp_id, 'undelivered');
  await service.call(resendOtp, { apiKey: erik.key(), params: { otp_id }, body: {} });
  expect(
    await service.app.db.rows(
      `select body -> 'data' -> 'step' as step from webhook_messages where otp_id = $1 order by id`,
      [otp_id],
    ),
  ).toEqual([
    { step: { channel: 'voice', status: 'pending', reason: 'failed' } },
    { step: { channel: 'telegram', status: 'pending', reason: 'requested' } },
  ]);
});

test('an endpoint that wants steps gets one event per later step, with the reason', async () => {
  const dave = await sender(service, 'Dave', { keys: 8 });
  const bearer = await signedIn(service, dave);
  const hook = { name: 'Steps', url: 'https://hook.example/', send_on_step: true };
  await service.call(createWebhook, { bearer, body: hook });
  const recipient = phone();
  const { otp_id } = (
    await service.call(sendOtp, {
      apiKey: dave.key(),
      body: { recipient, channels: ['voice', 'sms', 'telegram', 'whatsapp'] },
    })
  ).body;
  await optOut(service.app.db, optOutFingerprint(service.app, recipient));
  await service.deliver();
  const events = async () => {
    const rows = await service.app.db.rows<{ body: { type: string; data: { step?: object } } }>(
      // The events of one transaction have no order.
      `select body from webhook_messages where otp_id = $1 order by body ->> 'type', body #>> '{data,step,channel}'`,
      [otp_id],
    );
    return rows.map(({ body }) => [body.type, body.data.step]);
  };
  // The response to the send names the first channel.
  expect(await events()).toEqual([['otp.sent', undefined]]);
  await after(61);
  const expected: unknown[] = [
    ['otp.sent', undefined],
    ['otp.step', { channel: 'sms', status: 'skipped', reason: 'recipient_opted_out' }],
    ['otp.step', { channel: 'telegram', status: 'pending', reason: 'timeout' }],
  ];
  expect(await events()).toEqual(expected);
  const asked = { apiKey: dave.key(), params: { otp_id }, body: {} };
  expect((await service.call(resendOtp, asked)).body).toMatchObject({ reason: 'recipient_opted_out' });
  expect(await events()).toEqual(expected);
});

test('a plan whose every message fails tells its failure once, at the end', async () => {
  const gina = await sender(service, 'Gina', { keys: 8 });
  const bearer = await signedIn(service, gina);
  await service.call(createWebhook, { bearer, body: { name: 'Ends', url: 'https://hook.example/' } });
  const { account_id } = gina;
  const body = { recipient: phone(), channels: ['sms' as const, 'voice' as const] };
  const { otp_id } = (await service.call(sendOtp, { apiKey: gina.key(), body })).body;
  const messages = async () =>
    (
      await service.app.db.rows<{ id: string }>(
        'select id from verifications where id = $1 or resend_of = $1 order by id',
        [otp_id],
      )
    ).map(({ id }) => id);
  for (const place of [0, 1]) {
    await service.drain();
    const failed = { state: 'undelivered', provider_message_id: null, reason: null } as const;
    const id = (await messages())[place] ?? '';
    await report(service.app, { ...failed, carrier: 'sandbox', account_id, otp_id: id });
  }
  await service.drain();
  const [, call] = await messages();
  const told = await service.app.db.rows(
    `select type, body #>> '{data,otp_id}' as of, body #>> '{data,resend_id}' as resend
     from webhook_messages where account_id = $1 order by id`,
    [account_id],
  );
  expect(told).toEqual([
    { type: 'otp.sent', of: otp_id, resend: null },
    { type: 'otp.sent', of: otp_id, resend: call },
    { type: 'otp.failed', of: otp_id, resend: null },
  ]);
});

test('a later step has the segments, and so the price, of the text that the account has by then', async () => {
  const erin = await sender(service, 'Erin', { keys: 4 });
  const say = (text: string) =>
    service.app.db.run('update accounts set default_message = $2 where id = $1', [erin.account_id, text]);
  await say('Code {code}');
  const recipient = phone();
  const { body } = await service.call(sendOtp, {
    apiKey: erin.key(),
    body: { recipient, channels: ['voice', 'sms'] },
  });
  await service.drain();
  const long = `Code {code} ${'x'.repeat(200)}`;
  await say(long);
  await after(61);
  expect((await service.inbox(recipient))[0]?.text).toHaveLength(long.length);
  expect(
    await service.app.db.rows('select channel, segments from verifications where resend_of = $1', [
      body.otp_id,
    ]),
  ).toEqual([{ channel: 'sms', segments: 2 }]);
});
