import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { refusalOf, twilioClient } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';

const stage = fixture(twilioStage);
const numbers = () => stage.client().verify.v2.safelist;

const entries = async (account_id: string) =>
  stage.service.app.db.rows(
    'select actor, action, subject from audit_entries where account_id = $1 order by id',
    [account_id],
  );

test('a number is put on the allow list, read and removed, with entries in the audit log', async () => {
  const phoneNumber = stage.phone();
  const made = await numbers().create({ phoneNumber });
  expect(made).toMatchObject({ phoneNumber });
  expect(await numbers().create({ phoneNumber })).toMatchObject({ sid: made.sid });
  expect(await numbers()(phoneNumber).fetch()).toMatchObject({ sid: made.sid });
  expect(await numbers()(phoneNumber).remove()).toBe(true);
  expect(await refusalOf(numbers()(phoneNumber).fetch())).toMatchObject({
    code: 20404,
    details: { reason: 'number_not_found' },
  });
  expect(await refusalOf(numbers()(phoneNumber).remove())).toMatchObject({ code: 20404 });
  expect((await entries(stage.alice.account_id)).slice(-2)).toMatchObject([
    { actor: 'key', action: 'protection.allow', subject: `number ${phoneNumber.slice(0, 8)}•••` },
    { actor: 'key', action: 'protection.change' },
  ]);
});

test('a number on the list is exempt from the rules, but not from the deny list', async () => {
  const dave = await stage.customer('Dave', { keys: 10 });
  const { account_id } = dave;
  const v2 = () => twilioClient(stage.address, { account_id, api_key: dave.key() }).verify.v2;
  const bearer = await signedIn(stage.service, dave);
  const change = async (body: object) =>
    expect((await stage.service.call(updateProtection, { bearer, body })).status).toBe(200);
  await change({ rules: { country: { mode: 'enforce', countries: ['CA'] } } });
  const { sid } = await v2().services.create({ friendlyName: 'Acme' });
  const to = stage.phone();
  const send = () => v2().services(sid).verifications.create({ to, channel: 'sms' });
  const blocked = { status: 403, code: 60410, details: { reason: 'destination_blocked' } };
  expect(await refusalOf(send())).toMatchObject(blocked);
  await v2().safelist.create({ phoneNumber: to });
  expect(await send()).toMatchObject({ status: 'pending' });
  await change({ deny: [{ kind: 'number', value: to }] });
  expect(await refusalOf(send())).toMatchObject(blocked);
});

test('keys of an account put at most a hundred numbers on the list, and change it 200 times a day', async () => {
  const carol = await stage.customer('Carol', { keys: 20 });
  const { account_id } = carol;
  const list = () => twilioClient(stage.address, { account_id, api_key: carol.key() }).verify.v2.safelist;
  for (let n = 0; n < 100; n++) await list().create({ phoneNumber: `+1415556${String(1_000 + n)}` });
  expect(await refusalOf(list().create({ phoneNumber: '+14155561999' }))).toMatchObject({
    status: 400,
    code: 60200,
    details: { reason: 'safe_list_full' },
  });
  for (let n = 0; n < 99; n++) await list()(`+1415556${String(1_000 + n)}`).remove();
  expect(await refusalOf(list().create({ phoneNumber: '+14155561999' }))).toMatchObject({
    status: 429,
    code: 20429,
    details: { reason: 'too_many_requests' },
  });
  expect(await entries(carol.account_id)).toHaveLength(199);
  await stage.service.clock.advance(86_400_000);
  for (const phoneNumber of ['+14155561998', '+14155561999']) await list().create({ phoneNumber });
});

test('an address or a national number is not a number for the list', async () => {
  for (const phoneNumber of ['person@example.com', '4155550100', '+1'])
    expect(await refusalOf(numbers().create({ phoneNumber }))).toMatchObject({
      code: 60200,
      details: { parameter: 'PhoneNumber' },
    });
});
