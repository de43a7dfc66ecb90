import twilio from 'twilio';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { refusalOf, twilioClient } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';
import { sidOf } from './sids.ts';

const stage = fixture(twilioStage);

test('a plain client sends a code and checks it with one line changed', async () => {
  const plain = twilio(sidOf('AC', stage.alice.account_id), stage.alice.key());
  plain.verify.baseUrl = `${stage.address}/compat/twilio`;
  const { sid } = await plain.verify.v2.services.create({ friendlyName: 'My App' });
  const to = stage.phone();
  const started = await plain.verify.v2.services(sid).verifications.create({ to, channel: 'sms' });
  expect(started).toMatchObject({ to, channel: 'sms', status: 'pending', valid: false, serviceSid: sid });
  expect(started.dateCreated).toBeInstanceOf(Date);
  const { texts, code } = await stage.received(to);
  expect(texts).toEqual([`Your My App verification code is: ${code}`]);
  const check = () => plain.verify.v2.services(sid).verificationChecks.create({ to, code });
  expect(await check()).toMatchObject({ sid: started.sid, status: 'approved', valid: true });
  expect(await refusalOf(check())).toMatchObject({
    status: 404,
    code: 20404,
    details: { reason: 'already_approved' },
  });
});

test('an API key with its own SID works as an API key of Twilio', async () => {
  const plain = twilio(sidOf('SK', stage.alice.api_key_id), stage.alice.api_key, {
    accountSid: sidOf('AC', stage.alice.account_id),
  });
  plain.verify.baseUrl = `${stage.address}/compat/twilio`;
  expect((await plain.verify.v2.services.list()).length).toBeGreaterThan(0);
});

test('services are created, read, changed, listed page by page and removed', async () => {
  const bob = await stage.customer('Bob Services', { keys: 1 });
  const { services } = twilioClient(stage.address, bob).verify.v2;
  const names = ['One', 'Two', 'Three'];
  const sids: string[] = [];
  for (const friendlyName of names) sids.push((await services.create({ friendlyName, codeLength: 4 })).sid);
  expect((await services.list({ pageSize: 2 })).map(({ friendlyName }) => friendlyName)).toEqual(
    names.toReversed(),
  );
  const [first = ''] = sids;
  expect(await services(first).fetch()).toMatchObject({ friendlyName: 'One', codeLength: 4 });
  const changed = await services(first).update({ codeLength: 8, customCodeEnabled: true });
  expect(changed).toMatchObject({ friendlyName: 'One', codeLength: 8, customCodeEnabled: true });
  expect(await services(first).remove()).toBe(true);
  expect(await refusalOf(services(first).fetch())).toMatchObject({
    status: 404,
    code: 20404,
    details: { reason: 'service_not_found' },
  });
});

test.each([
  [{ friendlyName: 'Visit acme.com' }, 'FriendlyName'],
  [{ friendlyName: 'Call 12345' }, 'FriendlyName'],
  [{ friendlyName: 'x'.repeat(33) }, 'FriendlyName'],
  [{ friendlyName: 'Acme', codeLength: 3 }, 'CodeLength'],
  [{ friendlyName: 'Acme', codeLength: 11 }, 'CodeLength'],
  [{ friendlyName: 'Acme', psd2Enabled: true }, 'Psd2Enabled'],
  [{ friendlyName: 'Acme', defaultTemplateSid: `HJ${'0'.repeat(32)}` }, 'DefaultTemplateSid'],
])('a service with %j is refused', async (params, parameter) => {
  expect(await refusalOf(stage.client().verify.v2.services.create(params))).toMatchObject({
    status: 400,
    code: 60200,
    details: { reason: 'invalid_parameter', parameter },
  });
});
