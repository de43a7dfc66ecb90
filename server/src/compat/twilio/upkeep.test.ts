import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { refusalOf } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';
import { eraseLeftBehind } from '../../deletion/delete-account.ts';
import { eraseRecipient } from '../../deletion/deletion.ts';

const stage = fixture(twilioStage);
const DAY = 86_400_000;

const rows = async (table: string) =>
  (await stage.service.app.db.one<{ n: number }>(`select count(*) as n from ${table}`)).n;

test('the erasure of a recipient removes its verifications, in the form in which they are found', async () => {
  const sid = await stage.made();
  const [to, other] = [stage.phone(), stage.phone()];
  await stage.at(sid).verifications.create({ to, channel: 'sms' });
  await stage.at(sid).verifications.create({ to: other, channel: 'sms' });
  await stage.service.drain();
  await eraseRecipient(stage.service.app, to);
  expect(await refusalOf(stage.at(sid).verifications(to).fetch())).toMatchObject({ code: 20404 });
  expect(await stage.at(sid).verifications(other).fetch()).toMatchObject({ to: other });
  expect(await stage.client().verify.v2.verificationAttempts.list({ verifyServiceSid: sid })).toHaveLength(1);
});

test('verifications and attempts are removed with their sends', async () => {
  await stage.service.clock.advance(401 * DAY);
  await stage.service.drain({ keepHouse: true });
  expect([await rows('twilio_verifications'), await rows('twilio_attempts')]).toEqual([0, 0]);
});

test('the deletion of an account removes everything', async () => {
  const sid = await stage.made();
  await stage.at(sid).verifications.create({ to: stage.phone(), channel: 'sms' });
  const { sid: limit } = await stage.at(sid).rateLimits.create({ uniqueName: 'ip' });
  await stage.at(sid).rateLimits(limit).buckets.create({ max: 1, interval: 60 });
  await stage.client().verify.v2.safelist.create({ phoneNumber: stage.phone() });
  await stage.service.drain();
  const { app } = stage.service;
  const { eraseAccount } = await import('../../deletion/delete-account.ts');
  const { account_id } = stage.alice;
  await app.db.transaction((tx) => eraseAccount(tx, app, { account_id, actor: 'owner' }));
  await stage.service.clock.advance(2 * 60_000);
  while (await eraseLeftBehind(app));
  for (const table of [
    'services',
    'rate_limits',
    'buckets',
    'verifications',
    'attempts',
    'safe_list_changes',
  ])
    expect([table, await rows(`twilio_${table}`)]).toEqual([table, 0]);
});
