import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { refusalOf, twilioClient } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';

const stage = fixture(twilioStage);

/** A client whose key may send codes of its own, and a service that allows them. */
async function ownCodes() {
  const { id, key } = await stage.service.anotherKey(stage.alice.account_id);
  const scopes = '{otp:send,otp:verify,otp:read,otp:own_code}';
  await stage.service.app.db.run('update api_keys set scopes = $2 where id = $1', [id, scopes]);
  const { account_id } = stage.alice;
  const { v2 } = twilioClient(stage.address, { account_id, api_key: key }).verify;
  return v2.services(await stage.made({ customCodeEnabled: true }));
}

test('a custom code is sent as it is, the caller checks it, and approves', async () => {
  const service = await ownCodes();
  const to = stage.phone();
  const { sid } = await service.verifications.create({ to, channel: 'sms', customCode: 'AB12CD' });
  expect((await stage.received(to)).texts).toEqual(['Your Acme verification code is: AB12CD']);
  expect(await refusalOf(service.verificationChecks.create({ to, code: 'AB12CD' }))).toMatchObject({
    status: 400,
    code: 60200,
    details: { reason: 'own_code' },
  });
  expect(await service.verifications(sid).update({ status: 'approved' })).toMatchObject({
    sid,
    status: 'approved',
    valid: true,
  });
  const { v2 } = stage.client().verify;
  expect(await v2.verificationAttempts.list({ verificationSid: sid })).toMatchObject([
    { conversionStatus: 'converted' },
  ]);
});

test('the same custom code again sends and costs nothing, and another one is another message', async () => {
  const service = await ownCodes();
  const to = stage.phone();
  const before = await stage.alice.balance();
  const send = (customCode: string) => service.verifications.create({ to, channel: 'sms', customCode });
  const first = await send('1234');
  expect(await send('1234')).toMatchObject({ sid: first.sid, sendCodeAttempts: first.sendCodeAttempts });
  const third = await send('5678');
  expect(third.sid).toBe(first.sid);
  expect(third.sendCodeAttempts).toHaveLength(2);
  expect(before - (await stage.alice.balance())).toBe(2);
  await service.verifications(to).update({ status: 'approved' });
  expect(await refusalOf(send('5678'))).toMatchObject({ code: 60200, details: { reason: 'code_repeated' } });
});

test('custom codes need a service that allows them and a key with the scope', async () => {
  const to = stage.phone();
  const own = { to, channel: 'sms', customCode: '123456' };
  const strict = await stage.made();
  expect(await refusalOf(stage.at(strict).verifications.create(own))).toMatchObject({
    status: 403,
    code: 60204,
    details: { reason: 'custom_code_disabled' },
  });
  const open = await stage.made({ customCodeEnabled: true });
  expect(await refusalOf(stage.at(open).verifications.create(own))).toMatchObject({
    status: 403,
    code: 60204,
    details: { reason: 'missing_scope', scope: 'otp:own_code' },
  });
  for (const customCode of ['123', '12345678901', 'abcd', '12 34'])
    expect(await refusalOf(stage.at(open).verifications.create({ ...own, customCode }))).toMatchObject({
      code: 60200,
      details: { parameter: 'CustomCode' },
    });
});

test('a custom code and a code of ours are two verifications', async () => {
  const service = await ownCodes();
  const to = stage.phone();
  const ours = await service.verifications.create({ to, channel: 'sms' });
  const { code } = await stage.received(to);
  const own = await service.verifications.create({ to, channel: 'sms', customCode: 'AB12CD' });
  expect(own.sid).not.toBe(ours.sid);
  expect(await service.verificationChecks.create({ to, code })).toMatchObject({
    sid: ours.sid,
    status: 'approved',
  });
  expect(await service.verifications(own.sid).fetch()).toMatchObject({ status: 'pending' });
});
