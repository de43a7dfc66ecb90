import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { refusalOf, type TwilioClient, twilioClient } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';

/** Test keys change only tests, and live keys change live settings only with a scope of their own. */
const stage = fixture(twilioStage);
const alice = () => stage.alice;

async function keyOf(settings: object): Promise<string> {
  const bearer = await signedIn(stage.service, alice());
  const made = await stage.service.call(createApiKey, { bearer, body: { name: 'Key', ...settings } });
  return made.body.key;
}
const clientOf = (api_key: string) =>
  twilioClient(stage.address, { account_id: alice().account_id, api_key }).verify.v2;
type Client = TwilioClient['verify']['v2'];

const actions = async () =>
  (
    await stage.service.app.db.rows<{ actor: string; action: string; subject: string }>(
      `select actor, action, subject from audit_entries where account_id = $1 and action like 'verify_service.%' order by id`,
      [alice().account_id],
    )
  ).map(({ actor, action, subject }) => `${actor} ${action} ${subject}`);
const rows = () =>
  stage.service.app.db.rows(
    `select 'service' as kind, to_jsonb(s) as row from twilio_services s where not s.is_test
     union all select 'limit', to_jsonb(r) from twilio_rate_limits r
     union all select 'bucket', to_jsonb(b) from twilio_buckets b
     union all select 'allow', to_jsonb(p.allow) from protection_settings p order by 1, 2`,
  );

/** A live service with a rate limit and a bucket. */
async function liveService() {
  const sid = await stage.made();
  const limit = (await stage.at(sid).rateLimits.create({ uniqueName: 'ip' })).sid;
  const bucket = (await stage.at(sid).rateLimits(limit).buckets.create({ max: 1, interval: 60 })).sid;
  return { sid, limit, bucket, to: stage.phone() };
}

/** Every call that changes settings. */
const CHANGES: [
  name: string,
  (client: Client, live: Awaited<ReturnType<typeof liveService>>) => Promise<unknown>,
][] = [
  ['changes a service', (v2, { sid }) => v2.services(sid).update({ friendlyName: 'Mallory', codeLength: 4 })],
  ['removes a service', (v2, { sid }) => v2.services(sid).remove()],
  ['makes a rate limit', (v2, { sid }) => v2.services(sid).rateLimits.create({ uniqueName: 'other' })],
  [
    'changes a rate limit',
    (v2, { sid, limit }) => v2.services(sid).rateLimits(limit).update({ description: 'x' }),
  ],
  ['removes a rate limit', (v2, { sid, limit }) => v2.services(sid).rateLimits(limit).remove()],
  [
    'makes a bucket',
    (v2, { sid, limit }) => v2.services(sid).rateLimits(limit).buckets.create({ max: 9, interval: 9 }),
  ],
  [
    'changes a bucket',
    (v2, { sid, limit, bucket }) => v2.services(sid).rateLimits(limit).buckets(bucket).update({ max: 999 }),
  ],
  [
    'removes a bucket',
    (v2, { sid, limit, bucket }) => v2.services(sid).rateLimits(limit).buckets(bucket).remove(),
  ],
  ['puts a number on the safe list', (v2, { to }) => v2.safelist.create({ phoneNumber: to })],
  ['removes a number from the safe list', (v2, { to }) => v2.safelist(to).remove()],
];

test.each(CHANGES)('a test key with every scope never %s of the live account', async (_, change) => {
  const live = await liveService();
  const v2 = clientOf(
    await keyOf({
      mode: 'test',
      scopes: ['otp:send', 'otp:verify', 'otp:read', 'otp:own_code', 'events:read', 'verify_services:write'],
    }),
  );
  const before = [await rows(), await actions()];
  expect(await refusalOf(change(v2, live))).toMatchObject({
    status: 403,
    code: 20403,
    details: { reason: 'live_setting' },
  });
  expect([await rows(), await actions()]).toEqual(before);
});

test.each([
  ['makes a service', (v2: Client) => v2.services.create({ friendlyName: 'Mallory' })] as const,
  ...CHANGES,
])('a live key with the usual scopes never %s', async (_, change) => {
  const live = await liveService();
  const v2 = clientOf(await keyOf({}));
  const before = [await rows(), await actions()];
  expect(await refusalOf(change(v2, live))).toMatchObject({
    status: 403,
    code: 20003,
    details: { reason: 'missing_scope', scope: 'verify_services:write' },
  });
  expect([await rows(), await actions()]).toEqual(before);
});

test('services that a test key makes are tests, which live keys neither see nor send through', async () => {
  const v2 = clientOf(await keyOf({ mode: 'test' }));
  const before = [await rows(), await actions()];
  const { sid } = await v2.services.create({ friendlyName: 'Test' });
  expect(await v2.services(sid).update({ codeLength: 8 })).toMatchObject({ codeLength: 8 });
  const to = stage.phone();
  expect(await v2.services(sid).verifications.create({ to, channel: 'sms' })).toMatchObject({
    status: 'pending',
  });
  for (const call of [
    () => stage.at(sid).fetch(),
    () => stage.at(sid).update({ friendlyName: 'Live' }),
    () => stage.at(sid).remove(),
    () => stage.at(sid).verifications.create({ to, channel: 'sms' }),
    () => stage.at(sid).rateLimits.list(),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 404, details: { reason: 'service_not_found' } });
  expect((await stage.client().verify.v2.services.list()).map((one) => one.sid)).not.toContain(sid);
  expect((await v2.services.list()).map((one) => one.sid)).toContain(sid);
  expect([await rows(), await actions()]).toEqual(before);
  const { db } = stage.service.app;
  const changes = 'insert into twilio_safe_list_changes (account_id, day, changes) values ($1, $2, 1000)';
  const today = stage.service.app.clock.now().toISOString().slice(0, 10);
  await db.run(`${changes} on conflict (account_id) do update set day = excluded.day, changes = 1000`, [
    alice().account_id,
    today,
  ]);
  expect(await refusalOf(stage.client().verify.v2.services.create({ friendlyName: 'Live' }))).toMatchObject({
    status: 429,
    details: { reason: 'too_many_requests' },
  });
  expect(await v2.services(sid).remove()).toBe(true);
  await db.run('delete from twilio_safe_list_changes');
});

test("a test key's sends through a live service do not use up its rate limits", async () => {
  const { sid } = await liveService();
  const v2 = clientOf(await keyOf({ mode: 'test' }));
  const send = (client: Client) =>
    client
      .services(sid)
      .verifications.create({ to: stage.phone(), channel: 'sms', rateLimits: { ip: '192.0.2.9' } });
  expect(await send(v2)).toMatchObject({ status: 'pending' });
  expect(await refusalOf(send(v2))).toMatchObject({ details: { reason: 'limit_reached' } });
  expect(await send(stage.client().verify.v2)).toMatchObject({ status: 'pending' });
});

test('every change of a live service is in the activity of the account', async () => {
  const before = (await actions()).length;
  const { sid, limit, bucket } = await liveService();
  const service = () => stage.at(sid);
  await service().rateLimits(limit).buckets(bucket).update({ max: 2 });
  await service().rateLimits(limit).buckets(bucket).remove();
  await service().rateLimits(limit).update({ description: 'Address' });
  await service().rateLimits(limit).remove();
  await service().update({ friendlyName: 'Bank' });
  await service().update({ friendlyName: 'Bank' });
  await service().remove();
  const limited = 'key verify_service.change Acme, rate limit ip';
  expect((await actions()).slice(before)).toEqual([
    'key verify_service.create Acme',
    ...Array.from({ length: 6 }, () => limited),
    'key verify_service.change Bank',
    'key verify_service.delete Bank',
  ]);
});

test('a test key does not see an attempt of a live key', async () => {
  const sid = await stage.made();
  await stage.at(sid).verifications.create({ to: stage.phone(), channel: 'sms' });
  const { verificationAttempts } = stage.client().verify.v2;
  const [attempt] = await verificationAttempts.list({ verifyServiceSid: sid });
  const fetchedBy = (v2: Client) => v2.verificationAttempts(attempt?.sid ?? '').fetch();
  expect(await fetchedBy(stage.client().verify.v2)).toMatchObject({ sid: attempt?.sid });
  const tested = clientOf(await keyOf({ mode: 'test' }));
  expect(await refusalOf(fetchedBy(tested))).toMatchObject({ code: 20404 });
});
