import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Person, person, twoFactorPerson } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const DAY = 86_400_000;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const CHROME = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36';
const NEW_SIGN_IN = 'New sign-in to your Sixdigit account';

const service = fixture(testService);

const enter = async ({ email, password }: Person, agent: string, remoteAddress = '127.0.0.1') => {
  const answer = await service.inject({
    method: 'POST',
    url: API_BASE + signIn.path,
    payload: { email, password },
    headers: { 'user-agent': agent },
    remoteAddress,
  });
  expect(answer.statusCode).toBe(200);
};
const mails = async ({ email }: Person, subject: string) => {
  await service.drain();
  return (await service.inbox(email)).filter((mail) => mail.subject === subject);
};

test('a sign-in from a new device sends one mail, with the device, the address and a link', async () => {
  const alice = await person(service, 'Alice');
  expect(await mails(alice, NEW_SIGN_IN)).toHaveLength(0);
  await enter(alice, FIREFOX);
  await enter(alice, FIREFOX.replaceAll('143.0', '144.0'));
  const [mail, ...more] = await mails(alice, NEW_SIGN_IN);
  expect(more).toEqual([]);
  expect(mail?.text).toContain('Firefox on Linux');
  expect(mail?.text).toContain('127.0.0.1');
  expect(mail?.text).toContain('http://sixdigit.test/settings/activity');
});

test('the same browser counts as a new device in another network, but not at another address in the same network', async () => {
  const bob = await person(service, 'Bob');
  await enter(bob, FIREFOX, '203.0.113.7');
  await enter(bob, FIREFOX, '203.0.99.8');
  expect(await mails(bob, NEW_SIGN_IN)).toHaveLength(1);
  await enter(bob, FIREFOX, '198.51.100.7');
  expect(await mails(bob, NEW_SIGN_IN)).toHaveLength(2);
});

test('concurrent sign-ins from one new device send one mail', async () => {
  const carol = await person(service, 'Carol');
  await Promise.all(Array.from({ length: 5 }, () => enter(carol, CHROME)));
  expect(await mails(carol, NEW_SIGN_IN)).toHaveLength(1);
});

test('neither a wrong password nor a sign-in without its code sends a mail about a new device', async () => {
  const dora = await twoFactorPerson(service, 'Dora');
  await enter(dora, FIREFOX, '203.0.113.9');
  expect(await mails(dora, NEW_SIGN_IN)).toHaveLength(0);
});

test('an attacker with the password causes at most five mails about new devices a day', async () => {
  const erin = await person(service, 'Erin');
  for (let n = 0; n < 9; n += 1) await enter(erin, `Agent-${n}/1.0`);
  expect(await mails(erin, NEW_SIGN_IN)).toHaveLength(5);
  await service.clock.advance(DAY + 1);
  await enter(erin, 'Agent-10/1.0');
  // The inbox of the sandbox keeps messages for a day, so only the new one is left.
  expect(await mails(erin, NEW_SIGN_IN)).toHaveLength(1);
});

test('a new API key is announced by mail, at most ten times a day', async () => {
  const frank = await person(service, 'Frank');
  for (let n = 0; n < 12; n += 1)
    await service.call(createApiKey, { bearer: frank.access, body: { name: `Key ${n}` } });
  const announced = await mails(frank, 'A new API key was created');
  expect(announced).toHaveLength(10);
  expect(announced.filter(({ text }) => text.includes('“Key 0”'))).toHaveLength(1);
  expect(announced.filter(({ text }) => text.includes('“Key 11”'))).toHaveLength(0);
});

test('a new connection is announced by mail, and the mail does not call it a key', async () => {
  const grace = await person(service, 'Grace');
  const body = { system: 'supabase', name: 'Sign-in', mode: 'live' } as const;
  await service.call(createConnection, { bearer: grace.access, body });
  const [mail] = await mails(grace, 'A new connection was created');
  expect(mail?.text).toContain('The connection “Sign-in” was created in your');
  expect(mail?.text).toContain('delete the connection');
});
