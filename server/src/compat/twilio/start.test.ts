import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilBlocked, untilWaiting } from '../../../test/held-lock.ts';
import { refusalOf, twilioClient } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';
import { LOCK_CLASSES } from '../../platform/db/advisory-locks.ts';
import { hashesOf } from '../../platform/db/removed-recipients.ts';
import { sidOf } from './sids.ts';

const stage = fixture(twilioStage);

test('repeated starts belong to one verification, carry one code and have one price each', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const before = await stage.alice.balance();
  const first = await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const second = await stage.at(sid).verifications.create({ to, channel: 'call' });
  expect(second).toMatchObject({ sid: first.sid, channel: 'call', status: 'pending' });
  expect(second.sendCodeAttempts).toMatchObject([{ channel: 'SMS' }, { channel: 'CALL' }]);
  for (let n = 3; n <= 5; n++) await stage.at(sid).verifications.create({ to, channel: 'sms' });
  expect(await refusalOf(stage.at(sid).verifications.create({ to, channel: 'sms' }))).toMatchObject({
    status: 429,
    code: 60203,
    message: 'Max send attempts reached',
    details: { reason: 'recipient_rate_limited' },
  });
  expect(before - (await stage.alice.balance())).toBe(5);
  const { texts } = await stage.received(to);
  expect(texts).toHaveLength(5);
  expect(new Set(texts.map((one) => one.replaceAll(/\D/g, ''))).size).toBe(1);
});

test('the sixth start is refused even where a recipient may get more messages', async () => {
  const { config } = stage.service.app;
  const { recipientSendsPer10Min } = config;
  config.recipientSendsPer10Min = 9;
  try {
    const sid = await stage.made();
    const to = stage.phone();
    const start = () => stage.at(sid).verifications.create({ to, channel: 'sms' });
    const started = [];
    for (let n = 1; n <= 5; n++) started.push(await start());
    expect(new Set(started.map((one) => one.sid)).size).toBe(1);
    expect(await refusalOf(start())).toMatchObject({ status: 429, code: 60203 });
  } finally {
    config.recipientSendsPer10Min = recipientSendsPer10Min;
  }
});

test('two starts at once for one number join one verification', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const before = await stage.alice.balance();
  const started = await Promise.all(
    Array.from({ length: 5 }, () => stage.at(sid).verifications.create({ to, channel: 'sms' })),
  );
  expect(new Set(started.map((one) => one.sid)).size).toBe(1);
  expect(before - (await stage.alice.balance())).toBe(5);
  expect((await stage.at(sid).verifications(to).fetch()).sendCodeAttempts).toHaveLength(5);
});

test('a start that meets another one, which has not yet written its verification, joins it', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const start = () => stage.at(sid).verifications.create({ to, channel: 'sms' });
  await using held = await holdLock(stage.service, 'lock table twilio_verifications in share mode', []);
  const started = Promise.all([start(), start()]);
  await untilWaiting(stage.service, 2);
  await held.commit();
  const [one, other] = await started;
  expect(one.sid).toBe(other.sid);
});

test('services of one account have verifications of their own', async () => {
  const [one, other] = [await stage.made(), await stage.made()];
  const to = stage.phone();
  const first = await stage.at(one).verifications.create({ to, channel: 'sms' });
  const second = await stage.at(other).verifications.create({ to, channel: 'sms' });
  expect(second.sid).not.toBe(first.sid);
  expect(await refusalOf(stage.at(other).verifications(first.sid).fetch())).toMatchObject({ code: 20404 });
});

test('a refused send gives its place back', async () => {
  const broke = await stage.customer('Broke', { credits: 0, keys: 1 });
  const poor = twilioClient(stage.address, broke).verify.v2;
  const { sid } = await poor.services.create({ friendlyName: 'Acme' });
  const to = stage.phone();
  expect(await refusalOf(poor.services(sid).verifications.create({ to, channel: 'sms' }))).toMatchObject({
    status: 403,
    code: 90402,
    message: 'Insufficient credits',
    details: { reason: 'insufficient_credits' },
  });
  expect(await refusalOf(poor.services(sid).verifications(to).fetch())).toMatchObject({ code: 20404 });
  const rows = 'select count(*) as n from twilio_attempts where account_id = $1';
  expect(await stage.service.app.db.one(rows, [broke.account_id])).toEqual({ n: 0 });
});

test('the place of a send that was lost with its process does not stop the next one', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const { db, vault } = stage.service.app;
  const service_id = sid.slice(2);
  const { id } = await db.one<{ id: string }>(
    `insert into twilio_verifications (id, account_id, service_id, recipient_hash, is_test, own_code, created_at)
     values (gen_random_uuid(), $1, $2, $3, false, false, clock_now()) returning id`,
    [stage.alice.account_id, service_id, hashesOf(vault, to)[0]],
  );
  await db.run(
    `insert into twilio_attempts (otp_id, account_id, service_id, verification_id, is_test)
     values (gen_random_uuid(), $1, $2, $3, false)`,
    [stage.alice.account_id, service_id, id],
  );
  expect(await refusalOf(stage.at(sid).verifications(to).fetch())).toMatchObject({ code: 20404 });
  const started = await stage.at(sid).verifications.create({ to, channel: 'sms' });
  expect(started.sid).toBe(sidOf('VE', id));
  expect(started.sendCodeAttempts).toHaveLength(1);
});

test('a send during which its verification is approved begins a new one', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const first = await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await stage.received(to);
  const recipientOfAccount = 'select pg_advisory_xact_lock(hashtextextended($1, $2))';
  const key = `${stage.alice.account_id}${to}`;
  await using held = await holdLock(stage.service, recipientOfAccount, [
    key,
    LOCK_CLASSES.recipientOfAccount,
  ]);
  const checked = stage.at(sid).verificationChecks.create({ to, code });
  await untilBlocked(stage.service, 'lock_verifies');
  const started = stage.at(sid).verifications.create({ to, channel: 'sms' });
  await untilBlocked(stage.service, 'lock_sends');
  await held.commit();
  expect(await checked).toMatchObject({ sid: first.sid, status: 'approved' });
  const second = await started;
  expect(second).toMatchObject({ status: 'pending', valid: false });
  expect(second.sid).not.toBe(first.sid);
  expect(second.sendCodeAttempts).toHaveLength(1);
});
