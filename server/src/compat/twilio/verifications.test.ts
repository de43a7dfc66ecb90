import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { wrongCode } from '../../../test/sender.ts';
import { refusalOf } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';

const stage = fixture(twilioStage);

test('wrong codes leave a verification pending, and the sixth check is refused', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const { sid: verificationSid } = await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await stage.received(to);
  const check = (entered: string) =>
    stage.at(sid).verificationChecks.create({ verificationSid, code: entered });
  expect(await check('12345')).toMatchObject({ status: 'pending', valid: false });
  for (let n = 1; n <= 5; n++)
    expect(await check(wrongCode(code, n))).toMatchObject({ status: 'pending', valid: false });
  expect(await refusalOf(check(code))).toMatchObject({
    status: 429,
    code: 60202,
    details: { reason: 'max_attempts_reached' },
  });
  expect(await stage.at(sid).verifications(verificationSid).fetch()).toMatchObject({
    status: 'max_attempts_reached',
    valid: false,
  });
});

test('of two checks with the right code at once, one is approved', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  await stage.at(sid).verifications.create({ to, channel: 'sms' });
  await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await stage.received(to);
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      stage
        .at(sid)
        .verificationChecks.create({ to, code })
        .then(({ status }) => status)
        .catch((error: { code: number }) => error.code),
    ),
  );
  expect(results.toSorted()).toEqual([...Array.from({ length: 7 }, () => 20404), 'approved']);
});

test('a code expires ten minutes after the first message', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const first = await stage.at(sid).verifications.create({ to, channel: 'sms' });
  await stage.service.clock.advance(300_000);
  await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await stage.received(to);
  await stage.service.clock.advance(301_000);
  expect(await refusalOf(stage.at(sid).verificationChecks.create({ to, code }))).toMatchObject({
    code: 20404,
    details: { reason: 'expired' },
  });
  expect(await stage.at(sid).verifications(to).fetch()).toMatchObject({ sid: first.sid, status: 'expired' });
  const next = await stage.at(sid).verifications.create({ to, channel: 'sms' });
  expect(next.sid).not.toBe(first.sid);
  expect(await stage.at(sid).verifications(to).fetch()).toMatchObject({ sid: next.sid, status: 'pending' });
  expect((await stage.at(sid).verifications.create({ to, channel: 'sms' })).sid).toBe(next.sid);
});

test('a verification is canceled, by its number, and its code is worth nothing then', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  await stage.at(sid).verifications.create({ to, channel: 'sms' });
  await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await stage.received(to);
  expect(await stage.at(sid).verifications(to).update({ status: 'canceled' })).toMatchObject({
    to,
    status: 'canceled',
    valid: false,
  });
  const over = { code: 20404, details: { reason: 'canceled' } };
  expect(await refusalOf(stage.at(sid).verificationChecks.create({ to, code }))).toMatchObject(over);
  for (const status of ['canceled', 'approved'] as const)
    expect(await refusalOf(stage.at(sid).verifications(to).update({ status }))).toMatchObject(over);
});

test('a verification is approved without a code, and no code verifies it', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const { sid: verificationSid } = await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await stage.received(to);
  expect(await stage.at(sid).verifications(verificationSid).update({ status: 'approved' })).toMatchObject({
    sid: verificationSid,
    status: 'approved',
    valid: true,
  });
  expect(await refusalOf(stage.at(sid).verificationChecks.create({ to, code }))).toMatchObject({
    code: 20404,
    details: { reason: 'already_approved' },
  });
  const [attempt] = await stage.client().verify.v2.verificationAttempts.list({ verificationSid });
  expect(attempt).toMatchObject({ conversionStatus: 'unconverted' });
});
