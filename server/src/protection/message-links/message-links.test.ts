import { getBranding, updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { createConnection, updateConnection } from '@sixdigit/contract/connections.ts';
import {
  addMessageDomain,
  listMessageDomains,
  MESSAGE_DOMAINS_MAX,
  type MessageDomain,
  removeMessageDomain,
  verifyMessageDomain,
} from '@sixdigit/contract/message-links.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { beforeEach, expect, test } from 'vitest';
import { startNameServer } from '../../../test/fakes/dns.ts';
import { fixture } from '../../../test/fixture.ts';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const DAY = 86_400_000;
const LINK = 'Open https://shop.example.com/{code}';

let alice: Person & { key: string };

const names = fixture(startNameServer);
const service = fixture(() => testService({ env: { MESSAGE_LINKS: 'listed', DNS_SERVERS: names.address } }));
beforeEach(async () => {
  names.mode = 'answers';
  names.records.clear();
  const who = await person(service, 'Alice');
  const { body } = await service.call(createApiKey, { bearer: who.access, body: { name: 'Shop' } });
  alice = { ...who, key: body.key };
});

const send = (message?: string, more: Record<string, string> = {}) =>
  service.call(sendOtp, {
    apiKey: alice.key,
    body: {
      channel: 'email',
      recipient: `${service.app.random.uuid()}@customers.test`,
      ...(message === undefined ? {} : { message }),
      ...more,
    },
  });
const add = (domain: string) => service.call(addMessageDomain, { bearer: alice.access, body: { domain } });
const verify = ({ id }: Pick<MessageDomain, 'id'>, bearer = alice.access) =>
  service.call(verifyMessageDomain, { bearer, params: { id } });
const publish = ({ record_name, record_value }: MessageDomain) =>
  names.records.set(record_name, ['v=spf1 -all', record_value]);
const proven = async (domain: string): Promise<MessageDomain> => {
  const { body } = await add(domain);
  publish(body);
  expect((await verify(body)).body.status).toBe('verified');
  return body;
};
const passes = async (days: number) => {
  await service.clock.advance(days * DAY);
  alice = { ...alice, ...(await anotherSession(service, alice)) };
  await service.drain();
};
const listed = async () => (await service.call(listMessageDomains, { bearer: alice.access })).body;
const mailsAbout = async (text: string) => {
  await service.drain();
  return (await service.inbox(alice.email)).filter(({ subject }) => subject?.includes(text));
};

test('a link to a domain that the account has not verified is a field error with the domain', async () => {
  const refused = (host: string) => ({
    status: 400,
    body: {
      message: [
        `This links to ${host}. Add the domain under Settings, OTP Configuration and verify it, or remove the link.`,
      ],
    },
  });
  expect(await send(LINK)).toMatchObject(refused('shop.example.com'));
  expect(await send('{code} at evil.com')).toMatchObject(refused('evil.com'));
  expect((await send('{code}', { subject: 'Win at evil.com' })).body).toHaveProperty('subject');
  expect((await send('Your code is {code}.')).status).toBe(201);
  expect((await send()).status).toBe(201);
  const { body } = await add('example.com');
  expect((await send(LINK)).status).toBe(400);
  publish(body);
  await verify(body);
  expect((await send(LINK)).status).toBe(201);
});

test('links in the default message and subject are checked in the settings and in every send that uses them', async () => {
  const defaults = { default_message: LINK, default_subject: 'Welcome to shop.example.com' };
  const change = () => service.call(updateBranding, { bearer: alice.access, body: defaults });
  expect(await change()).toMatchObject({
    status: 400,
    body: { default_message: [expect.any(String)], default_subject: [expect.any(String)] },
  });
  const domain = await proven('example.com');
  expect((await change()).status).toBe(200);
  expect((await send()).status).toBe(201);
  await service.call(removeMessageDomain, { bearer: alice.access, params: { id: domain.id } });
  const linking = [expect.stringContaining("The account's default links to shop.example.com.")];
  const subject = 'Your code';
  expect((await send()).body).toEqual({ message: linking, subject: linking });
  expect((await send(undefined, { subject })).body).toEqual({ message: linking });
  expect((await send('{code}')).body).toEqual({ subject: linking });
  expect((await send('{code}', { subject })).status).toBe(201);
  expect((await send('{code}', { channel: 'sms', recipient: '+14155550142' })).status).toBe(201);
});

test('a link domain verified by another account does not count', async () => {
  await proven('example.com');
  const bob = await person(service, 'Bob');
  const { key } = (await service.call(createApiKey, { bearer: bob.access, body: { name: 'B' } })).body;
  const body = { channel: 'email', recipient: 'b@customers.test', message: LINK } as const;
  expect((await service.call(sendOtp, { apiKey: key, body })).status).toBe(400);
});

test('a link domain is verified only by the DNS record with its value', async () => {
  const { body } = await add('example.com');
  expect((await verify(body)).body).toMatchObject({ status: 'pending', problem: 'record_missing' });
  names.records.set(body.record_name, ['domain-verification=another']);
  await service.clock.advance(5_000);
  expect((await verify(body)).body).toMatchObject({ status: 'pending', problem: 'record_differs' });
  publish(body);
  await service.clock.advance(5_000);
  expect((await verify(body)).body).toMatchObject({ status: 'verified', problem: null });
  expect(names.questions).toContain('_otp-messages.example.com');
});

test('a failing name server does not verify a link domain, and look-ups are limited', async () => {
  const { body } = await add('example.com');
  publish(body);
  names.mode = 'fails';
  expect((await verify(body)).body).toMatchObject({ status: 'pending', problem: 'dns_unavailable' });
  expect(await verify(body)).toMatchObject({ status: 429, body: { retry_after: 5 } });
});

test('public suffixes, repeated domains and more than twenty link domains are refused', async () => {
  expect((await add('co.uk')).body).toMatchObject({ domain: ['The suffix co.uk belongs to many owners.'] });
  expect((await add('')).body).toMatchObject({ domain: ['This field is required.'] });
  await add('example.com');
  expect((await add('EXAMPLE.com')).body).toMatchObject({ domain: ['The list has example.com already.'] });
  const others = Array.from({ length: MESSAGE_DOMAINS_MAX + 5 }, (_, n) => add(`shop-${n}.example.org`));
  const statuses = (await Promise.all(others)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(MESSAGE_DOMAINS_MAX - 1);
  expect((await listed()).count).toBe(MESSAGE_DOMAINS_MAX);
});

test('a missing DNS record ends a link domain after seven days, with a mail at the start and the end', async () => {
  const domain = await proven('example.com');
  await passes(8);
  expect((await listed()).results).toMatchObject([{ status: 'verified', problem: null }]);
  names.records.clear();
  await passes(8);
  expect((await listed()).results).toMatchObject([{ status: 'lapsing', problem: 'record_missing' }]);
  expect(await mailsAbout('DNS record of example.com is missing')).toHaveLength(1);
  expect((await send(LINK)).status).toBe(201);
  await passes(8);
  expect((await listed()).results).toMatchObject([{ status: 'pending' }]);
  expect(await mailsAbout('Links to example.com are refused')).toHaveLength(1);
  expect((await send(LINK)).status).toBe(400);
  publish(domain);
  await service.clock.advance(5_000);
  expect((await verify(domain)).body.status).toBe('verified');
});

test('a send is refused if the sender name links to a domain that is no longer verified', async () => {
  await proven('example.com');
  const named = { sender_name: 'example.com' };
  expect((await service.call(updateBranding, { bearer: alice.access, body: named })).status).toBe(200);
  expect((await send()).status).toBe(201);
  names.records.clear();
  for (let n = 0; n < 3; n++) await passes(8);
  expect(await send()).toMatchObject({
    status: 400,
    body: { sender_name: [expect.stringContaining("The account's sender name links to example.com.")] },
  });
});

test('a DNS record that returns within the grace period keeps the link domain verified', async () => {
  const domain = await proven('example.com');
  names.records.clear();
  await passes(8);
  expect((await listed()).results).toMatchObject([{ status: 'lapsing' }]);
  publish(domain);
  await passes(2);
  expect((await listed()).results).toMatchObject([{ status: 'verified', lapses_at: null }]);
  // The next time, it has the whole period and its mail again.
  names.records.clear();
  await passes(8);
  const [again] = (await listed()).results;
  expect(Date.parse(again?.lapses_at ?? '') - service.app.clock.now().getTime()).toBeGreaterThan(5 * DAY);
  expect(await mailsAbout('DNS record of example.com is missing')).toHaveLength(1);
});

test('an outage of the name servers does not end a verified link domain', async () => {
  await proven('example.com');
  names.mode = 'fails';
  await passes(8);
  expect((await listed()).results).toMatchObject([{ status: 'verified', problem: 'dns_unavailable' }]);
  expect((await send(LINK)).status).toBe(201);
});

test('with MESSAGE_LINKS=any, every link is allowed', async () => {
  await using open = await testService({ env: { MESSAGE_LINKS: 'any' } });
  const { api_key: apiKey } = await open.customer('Open', { credits: 5 });
  const body = { channel: 'email', recipient: 'a@customers.test', message: LINK } as const;
  expect((await open.call(sendOtp, { apiKey, body })).status).toBe(201);
});

test('a code that the sender made cannot complete a domain in any text of a message', async () => {
  await service.app.db.run(`update api_keys set scopes = scopes || '{otp:own_code}'::text[]`);
  for (const [message, code] of [
    ['Sign in at bank-login.{code}/x', 'INFO'],
    ['Sign in at bank-login.{code}/x', 'SHOP'],
    ['Sign in at bank-login.on{code}', 'LINE'],
    ['Sign in at {code}.bank-login.{code}/x', 'LIVE'],
    ['{code}://2130706433/x', 'HTTP'],
  ] as const)
    expect(await send(message, { code })).toMatchObject({
      status: 400,
      body: { message: [expect.stringContaining('This links to')] },
    });
  expect((await send('Sign in at bank-login.{code}/x', { code: '246802' })).status).toBe(201);
  expect((await send('Acme: {code}', { code: 'INFO' })).status).toBe(201);
});

test('the default message, and that of a connection, cannot have the code inside a host name', async () => {
  const { access: bearer } = alice;
  const branding = (await service.call(getBranding, { bearer })).body;
  const made = await service.call(createConnection, { bearer, body: { system: 'logto', name: 'Sign-in' } });
  const template = 'Sign in at bank-login.{code}/x';
  const refused = 'The code must not be part of a domain. Put a space or a slash before {code}.';
  const answers = [
    await service.call(createConnection, {
      bearer,
      body: { system: 'logto', name: 'Other', message: template },
    }),
    await service.call(updateConnection, {
      bearer,
      params: { id: made.body.id },
      body: { message: template },
    }),
    await service.call(updateBranding, { bearer, body: { ...branding, default_message: template } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  expect(answers.map(({ body }) => body.message ?? body.default_message)).toEqual(
    answers.map(() => [refused]),
  );
  // A template from before this rule is checked with each code.
  await service.app.db.run('update accounts set default_message = $1', [template]);
  await service.app.db.run(`update api_keys set scopes = scopes || '{otp:own_code}'::text[]`);
  expect(await send(undefined, { code: 'INFO' })).toMatchObject({
    status: 400,
    body: { message: [expect.stringContaining('bank-login.info')] },
  });
});
