import { expect, test } from 'vitest';
import { signedHeaders } from '../../../server/src/platform/signing/standard-webhooks.ts';
import { fixture } from '../../../server/test/fixture.ts';
import { browsersOf, startApplication } from '../test/application.ts';
import { surroundings, testSignIn } from '../test/sign-in.ts';

const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of the sample').toString('base64')}`;

const around = surroundings();
const start = (env: Record<string, string> = {}) =>
  startApplication({
    command: process.execPath,
    args: ['--conditions=@sixdigit/source', 'server.mjs'],
    cwd: import.meta.dirname,
    env: { ...around.env(), PORT: '0', WEBHOOK_SECRET, SESSION_SECRET: 'a secret of the sessions', ...env },
  });
const sample = fixture(() => start());
const browser = browsersOf(sample);

testSignIn(
  { name: 'Express', browser, post: (person, path, fields) => person.postJson(path, fields) },
  around,
);

test('the Express sample signs in with email addresses and numbers in any notation', async () => {
  const person = browser();
  await person.postJson('/sign-in', { recipient: '+1 (201) 555-0151' });
  await around.service.deliver();
  const code = await around.alice.code('+12015550151');
  await person.postJson('/sign-in/verify', { code });
  expect(JSON.parse((await person.open('/')).text)).toEqual({ signed_in: '+12015550151' });
  expect(await person.postJson('/sign-in', { recipient: 'ann@example.com' })).toMatchObject({ status: 201 });
});

test('the Express sample behind a proxy uses the address of the person and restricts its cookie to HTTPS', async () => {
  const { service, alice } = around;
  await using application = await start({ NODE_ENV: 'production', PROXIES: '1' });
  const { status, headers } = await browsersOf(application)().open('/sign-in', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.9, 198.51.100.7',
      'x-forwarded-proto': 'https',
    },
    body: JSON.stringify({ recipient: '+12015550152' }),
  });
  expect({ status, cookie: headers.get('set-cookie') }).toEqual({
    status: 201,
    cookie: expect.stringMatching(/HttpOnly; Secure; SameSite=Lax/),
  });
  const sent =
    'select host(client_ip) as client_ip from verifications where account_id = $1 and recipient = $2';
  expect(await service.app.db.one(sent, [alice.account_id, '+12015550152'])).toEqual({
    client_ip: '198.51.100.7',
  });
});

test('the Express sample accepts only signed webhooks', async () => {
  const body = JSON.stringify({ type: 'otp.sent', data: { otp_id: 'an-id', status: 'sent' } });
  const headers = { ...signedHeaders({ id: 'msg_1', at: new Date(), body }, [WEBHOOK_SECRET]) };
  const post = (text: string) =>
    browser().open('/webhooks/sixdigit', {
      method: 'POST',
      body: text,
      headers: { ...headers, 'content-type': 'application/json' },
    });
  expect(await post(body)).toMatchObject({ status: 204 });
  expect(await sample.nextLine()).toMatch(/^Listening on/);
  expect(await sample.nextLine()).toBe('otp.sent an-id sent');
  expect(await post(`${body} `)).toMatchObject({ status: 401 });
});
