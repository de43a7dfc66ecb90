import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { refusalOf, twilioClient } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';

const stage = fixture(twilioStage);

const counts = async () =>
  (await stage.service.app.db.one<{ n: number }>('select count(*) as n from twilio_bucket_counts')).n;

test('rate limits and buckets are created, read, changed, listed and removed', async () => {
  const sid = await stage.made();
  const { sid: limit } = await stage
    .at(sid)
    .rateLimits.create({ uniqueName: 'end_user_ip', description: 'IP' });
  expect(await stage.at(sid).rateLimits(limit).fetch()).toMatchObject({
    uniqueName: 'end_user_ip',
    description: 'IP',
  });
  expect(await stage.at(sid).rateLimits(limit).update({ description: 'Address' })).toMatchObject({
    description: 'Address',
  });
  expect(await stage.at(sid).rateLimits.list()).toMatchObject([{ sid: limit }]);
  // It is the service's, not the account's.
  const named = await stage.alice.send(stage.phone(), { limits: { end_user_ip: 'x' } });
  expect(named).toMatchObject({ status: 400, body: { limits: [expect.any(String)] } });
  const of = () => stage.at(sid).rateLimits(limit).buckets;
  const { sid: bucket } = await of().create({ max: 5, interval: 60 });
  await of().create({ max: 10, interval: 3_600 });
  expect(await of().list({ pageSize: 1 })).toMatchObject([{ max: 10 }, { max: 5 }]);
  const one = () => stage.at(sid).rateLimits(limit).buckets(bucket);
  expect(await one().update({ max: 6 })).toMatchObject({ max: 6, interval: 60 });
  expect(await one().fetch()).toMatchObject({ max: 6, rateLimitSid: limit, serviceSid: sid });
  expect(await one().remove()).toBe(true);
  expect(await refusalOf(one().fetch())).toMatchObject({ code: 20404 });
  expect(await stage.at(sid).rateLimits(limit).remove()).toBe(true);
  expect(await stage.at(sid).rateLimits.list()).toEqual([]);
});

test('a value causes no more sends than a bucket allows, also at once', async () => {
  const sid = await stage.made();
  const { sid: limit } = await stage.at(sid).rateLimits.create({ uniqueName: 'ip' });
  await stage.at(sid).rateLimits(limit).buckets.create({ max: 3, interval: 60 });
  const send = (ip: string) =>
    stage.at(sid).verifications.create({ to: stage.phone(), channel: 'sms', rateLimits: { ip } });
  const before = await stage.alice.balance();
  const codes = await Promise.all(
    Array.from({ length: 8 }, () =>
      send('192.0.2.1').then(
        () => 201,
        (error: { code: number }) => error.code,
      ),
    ),
  );
  expect(codes.filter((one) => one === 201)).toHaveLength(3);
  expect(before - (await stage.alice.balance())).toBe(3);
  expect(await refusalOf(send('192.0.2.1'))).toMatchObject({
    status: 429,
    code: 20429,
    details: { reason: 'limit_reached', retry_after: expect.any(Number) },
  });
  await send('192.0.2.2');
  await stage.service.clock.advance(61_000);
  await send('192.0.2.1');
});

test('a bucket with another interval counts anew, one with another maximum goes on', async () => {
  const sid = await stage.made();
  const { sid: limit } = await stage.at(sid).rateLimits.create({ uniqueName: 'ip' });
  const { sid: bucket } = await stage.at(sid).rateLimits(limit).buckets.create({ max: 1, interval: 86_400 });
  const change = (params: { max?: number; interval?: number }) =>
    stage.at(sid).rateLimits(limit).buckets(bucket).update(params);
  const send = () =>
    stage.at(sid).verifications.create({
      to: stage.phone(),
      channel: 'sms',
      rateLimits: { ip: '192.0.2.1' },
    });
  await send();
  await change({ max: 2, interval: 86_400 });
  await send();
  expect(await refusalOf(send())).toMatchObject({ code: 20429 });
  await change({ interval: 60 });
  await send();
  await send();
  const { details } = (await refusalOf(send())) ?? {};
  expect(details).toMatchObject({
    reason: 'limit_reached',
    retry_after: expect.toSatisfy((s) => s <= 60),
  });
});

test('a refused send counts in no bucket and leaves no row', async () => {
  const broke = await stage.customer('Broke', { credits: 0, keys: 1 });
  const { services } = twilioClient(stage.address, broke).verify.v2;
  const { sid } = await services.create({ friendlyName: 'Acme' });
  const { sid: limit } = await services(sid).rateLimits.create({ uniqueName: 'ip' });
  await services(sid).rateLimits(limit).buckets.create({ max: 1, interval: 86_400 });
  const before = await counts();
  for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) {
    const call = services(sid).verifications.create({
      to: stage.phone(),
      channel: 'sms',
      rateLimits: { ip },
    });
    expect(await refusalOf(call)).toMatchObject({ code: 90402 });
  }
  expect(await counts()).toBe(before);
});

test('counts are deleted after their interval', async () => {
  await stage.service.clock.advance(86_400_000);
  await stage.service.drain({ keepHouse: true });
  expect(await counts()).toBe(0);
});

test('a service has at most ten rate limits, a rate limit five buckets, also at once', async () => {
  const sid = await stage.made();
  const codesOf = (calls: Promise<unknown>[]) =>
    Promise.all(
      calls.map((call) =>
        call.then(
          () => 201,
          (error: { code: number }) => error.code,
        ),
      ),
    );
  const limits = await codesOf(
    Array.from({ length: 12 }, (_, n) => stage.at(sid).rateLimits.create({ uniqueName: `limit_${n}` })),
  );
  expect(limits.toSorted()).toEqual([...Array.from({ length: 10 }, () => 201), 60207, 60207]);
  const [{ sid: limit } = { sid: '' }] = await stage.at(sid).rateLimits.list();
  const buckets = await codesOf(
    Array.from({ length: 7 }, () => stage.at(sid).rateLimits(limit).buckets.create({ max: 1, interval: 1 })),
  );
  expect(buckets.toSorted()).toEqual([...Array.from({ length: 5 }, () => 201), 60210, 60210]);
});

test.each([
  [{ uniqueName: 'with space' }, 'UniqueName'],
  [{ uniqueName: 'x'.repeat(65) }, 'UniqueName'],
])('a rate limit with %j is refused', async (params, parameter) => {
  const call = stage.at(await stage.made()).rateLimits.create(params);
  expect(await refusalOf(call)).toMatchObject({ code: 60200, details: { parameter } });
});

test('a bucket needs a whole number of requests and at most a day', async () => {
  const sid = await stage.made();
  const { sid: limit } = await stage.at(sid).rateLimits.create({ uniqueName: 'ip' });
  for (const params of [
    { max: 0, interval: 60 },
    { max: 1.5, interval: 60 },
    { max: 1, interval: 86_401 },
    { max: 1, interval: -1 },
  ])
    expect(await refusalOf(stage.at(sid).rateLimits(limit).buckets.create(params))).toMatchObject({
      code: 60200,
    });
  expect(await refusalOf(stage.at(sid).rateLimits.create({ uniqueName: 'ip' }))).toMatchObject({
    code: 60200,
    details: { reason: 'unique_name_taken' },
  });
});
