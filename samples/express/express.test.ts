import { expect, test } from 'vitest';
import { signedHeaders } from '../../server/src/platform/signing/standard-webhooks.ts';
import { fixture } from '../../server/test/fixture.ts';
import { sender, wrongCode } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { startSample } from '../sample.ts';

const SECRET = `whsec_${Buffer.from('a secret of the sample').toString('base64')}`;

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice'));

const sample = fixture(() =>
  startSample(import.meta.dirname, {
    SIXDIGIT_URL: origin.url,
    SIXDIGIT_API_KEY: alice.key(),
    WEBHOOK_SECRET: SECRET,
  }),
);

test('a person signs in at the Express sample', async () => {
  const recipient = '+12015550151';
  const started = await sample.post('/sign-in', { recipient: '+1 (201) 555-0151' });
  expect(started).toMatchObject({ status: 201 });
  await service.deliver();
  const code = await alice.code(recipient);
  const { sign_in_id } = started.body;
  expect(await sample.post('/sign-in/verify', { sign_in_id, code: wrongCode(code) })).toEqual({
    status: 400,
    body: { error: 'That code is wrong.', attempts_remaining: 4 },
  });
  expect(await sample.post('/sign-in/verify', { sign_in_id, code })).toEqual({
    status: 200,
    body: { signed_in: recipient },
  });
  expect(await sample.post('/sign-in/verify', { sign_in_id, code })).toMatchObject({ status: 404 });
});

test('the Express sample refuses an address that is not one with a sentence', async () => {
  expect(await sample.post('/sign-in', { recipient: 'nobody' })).toMatchObject({
    status: 400,
    body: { error: 'Please check the phone number or email address.' },
  });
});

test('the Express sample accepts only signed webhooks', async () => {
  const body = JSON.stringify({ type: 'otp.sent', data: { otp_id: 'an-id', status: 'sent' } });
  const headers = { ...signedHeaders({ id: 'msg_1', at: new Date(), body }, [SECRET]) };
  expect(await sample.post('/webhooks/sixdigit', body, headers)).toMatchObject({ status: 204 });
  expect(await sample.nextLine()).toBe('otp.sent an-id sent');
  expect(await sample.post('/webhooks/sixdigit', `${body} `, headers)).toMatchObject({ status: 401 });
});
