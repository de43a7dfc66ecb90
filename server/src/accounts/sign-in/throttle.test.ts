import { updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { createAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { forgotPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { signIn, signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import {
  addPasskey,
  signInWithPasskey,
  startPasskey,
  startPasskeySignIn,
  startPasskeyStep,
  startPasskeyStepUp,
  stepUpWithPasskey,
  verifyPasskey,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { sendStepUpCode, stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { expect, test } from 'vitest';
import { type AuthenticatorApp, withAuthenticator } from '../../../test/authenticator.ts';
import { fixture } from '../../../test/fixture.ts';
import { codeFor, type Person, person, twoFactorPerson, wrongCode } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { type SoftwarePasskey, softwarePasskey } from '../../../test/software-passkey.ts';
import * as limits from '../limits.ts';
import { keepPace, reserve, throttle } from '../limits.ts';
import { clientOf } from '../sessions/client.ts';

const service = fixture(testService);

const three = { name: 'three', most: 3, seconds: 60 };
const attempt = (...subjects: string[]) => reserve(service.app, [throttle(three, ...subjects)]);

/** The limits of each window in seconds. Written out, because a list derived from the limits would change with them. */
const WINDOWS: Record<number, string> = {
  900: `sign-in 100, sign-in account 10, sign-in account network 30, first in queue 30, step-up 10, code entry 300,
    passkey options 300, passkey 100, sso start 300, sso callback 100, sso step-up 20`,
  3600: `sign-in failures 100, sign-up 60, anonymous recipient address 10, anonymous recipient 30, forgot 60, codes 30,
    codes network 30, step-up codes 10, email changes operator 30, sso test 60`,
  86400: `reset codes 5, reset codes network 20, email changes account 5, email changes address 5, accounts 10,
    invitations account 50, invitations person 100, invitations account address 3, invitations person address 3,
    invitations address 30, authenticator 30, sso joins 600`,
};

test.each(Object.entries(WINDOWS))(
  'the rate limits within %s seconds have their names and numbers',
  (seconds, all) => {
    const found = Object.values(limits).flatMap((one) =>
      typeof one === 'object' && 'name' in one && 'most' in one && one.seconds === Number(seconds)
        ? [`${one.name} ${one.most}`]
        : [],
    );
    expect(found.toSorted()).toEqual(all.split(/,\s+/).toSorted());
  },
);

test('a rate limit is exact under parallel requests', async () => {
  const results = await Promise.allSettled(Array.from({ length: 40 }, () => attempt('crowd')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
});

test('a rate limit resets at the end of its window and states that time', async () => {
  for (let n = 0; n < 3; n += 1) await attempt('again');
  await service.clock.advance(20_000);
  const refused = await attempt('again').catch((error) => error);
  expect(refused.reason).toBe('too_many_requests');
  expect(refused.facts.retry_after).toBeGreaterThan(35);
  expect(refused.facts.retry_after).toBeLessThanOrEqual(40);
  await service.clock.advance(refused.facts.retry_after * 1_000);
  await expect(attempt('again')).resolves.toBeDefined();
});

test('units returned to a rate limit do not count', async () => {
  for (let n = 0; n < 10; n += 1) await (await attempt('back')).release();
  await expect(attempt('back')).resolves.toBeDefined();
});

test('a request refused by one of two rate limits counts in neither', async () => {
  for (let n = 0; n < 3; n += 1) await attempt('full');
  const both = () => reserve(service.app, [throttle(three, 'empty'), throttle(three, 'full')]);
  for (let n = 0; n < 5; n += 1) await expect(both()).rejects.toThrow();
  for (let n = 0; n < 3; n += 1) await attempt('empty');
});

test('a rate limit stores no readable addresses or names, and is deleted when it ends', async () => {
  await attempt('alice@people.test', '203.0.113.7');
  const { row } = await service.app.db.one<{ row: string }>(
    `select string_agg(t::text, ' ') as row from throttles t`,
  );
  expect(row).not.toContain('alice');
  expect(row).not.toContain(Buffer.from('alice').toString('hex'));
  await service.clock.advance(61_000);
  await service.drain({ keepHouse: true });
  expect(await service.app.db.one('select count(*) from throttles')).toEqual({ count: 0 });
});

const pace = { name: 'pace', burst: 3, everySeconds: 60 };
const keep = (subject: string) => keepPace(service.app, pace, subject);

test('a paced limit allows a burst, then one request per interval, even under parallel requests', async () => {
  const first = await Promise.all(Array.from({ length: 20 }, () => keep('crowd')));
  expect(first.filter(Boolean)).toHaveLength(3);
  for (let n = 0; n < 3; n += 1) {
    await service.clock.advance(60_000);
    const next = await Promise.all(Array.from({ length: 5 }, () => keep('crowd')));
    expect(next.filter(Boolean)).toHaveLength(1);
  }
  await service.clock.advance(180_000);
  expect((await Promise.all(Array.from({ length: 20 }, () => keep('crowd')))).filter(Boolean)).toHaveLength(
    3,
  );
});

test('units returned to a paced limit do not count', async () => {
  for (let n = 0; n < 6; n += 1) await (await keep('back'))?.release();
  for (let n = 0; n < 3; n += 1) expect(await keep('back')).toBeDefined();
  expect(await keep('back')).toBeUndefined();
});

const network = (ip: string) => clientOf({ ip, headers: {} }).network;

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['nonsense', 'unknown'],
])('a client at %s is rate-limited as %s', (ip, expected) => {
  expect(network(ip)).toBe(expected);
});

test.each([
  ['203.0.113.7', '203.0.113.0/24', ['203.0.0.0/16', '203.0.113.0/24', '203.0.113.7/32']],
  ['::ffff:203.0.113.7', '203.0.113.0/24', ['203.0.0.0/16', '203.0.113.0/24', '203.0.113.7/32']],
  [
    '2001:db8:1:2fe:3:4:5:6',
    '2001:db8:1:200::/56',
    ['2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:200::/56', '2001:db8:1:2fe::/64'],
  ],
  ['nonsense', null, ['unknown']],
])(
  'a client at %s is recognized by its network and shares the queue with its neighbors',
  (ip, home, networks) => {
    expect(clientOf({ ip, headers: {} })).toMatchObject({ home, networks });
  },
);

test('a rate-limited client is stored as an address that the database can parse', () => {
  expect(clientOf({ ip: '::ffff:203.0.113.7', headers: { 'user-agent': 'a\u0000b' } })).toMatchObject({
    ip_address: '203.0.113.7',
    user_agent: 'a b',
  });
  expect(clientOf({ ip: 'fe80::1%eth0', headers: {} }).ip_address).toBe('fe80::1');
  expect(clientOf({ ip: 'nonsense', headers: {} })).toMatchObject({ ip_address: null, user_agent: null });
});

interface Guest extends Person {
  ip: string;
  app: AuthenticatorApp;
  key: SoftwarePasskey;
}

const STRANGE = '203.0.113.7';
/** The sign-up came from another address of this network. */
const KNOWN = '127.0.0.9';

async function call({ ip, access }: Guest, { method, path }: Route, payload: object = {}) {
  const headers = { authorization: `Bearer ${access}` };
  const answer = await service.inject({ method, url: API_BASE + path, headers, payload, remoteAddress: ip });
  return { status: answer.statusCode, body: answer.json() };
}

type Given = (guest: Guest) => object | Promise<object>;
/** A call, and what precedes it, with its body as the result. */
type Attempt = readonly [Route, Given];

/** The second step of a sign-in. */
const second = (route: Route, given: Given): Attempt => [
  route,
  async (guest) => {
    const { session_token } = (await call(guest, signIn, guest)).body;
    return { session_token, ...(await given({ ...guest, session_token } as Guest)) };
  },
];
const sent = async ({ email }: Guest) => ({ code: await codeFor(service, email) });
const notSent = async (guest: Guest) => ({ code: wrongCode((await sent(guest)).code) });
const inSession =
  (code: Given): Given =>
  async (guest) => ({ ...(await call(guest, sendStepUpCode)).body, ...(await code(guest)) });
const shown: Given = ({ app }) => ({ method: 'authenticator', code: app.code(1) });
const notShown: Given = ({ app }) => ({ method: 'authenticator', code: wrongCode(app.code(1)) });
const assertion =
  (start: Route, dishonest = {}): Given =>
  async (guest) => ({ credential: guest.key.get((await call(guest, start, guest)).body.options, dishonest) });
const EVIL = { origin: 'https://evil.test' };

const ATTEMPTS: Record<string, Attempt> = {
  'wrong password': [signIn, ({ email }) => ({ email, password: 'not this one' })],
  'right password': [signIn, (guest) => ({ email: guest.email, password: guest.password })],
  'wrong mailed code': second(verifyTwoFactor, notSent),
  'right mailed code': second(verifyTwoFactor, sent),
  'wrong code of the app': second(verifyTwoFactor, notShown),
  'right code of the app': second(verifyTwoFactor, shown),
  'wrong passkey step': second(verifyPasskey, assertion(startPasskeyStep, EVIL)),
  'right passkey step': second(verifyPasskey, assertion(startPasskeyStep)),
  'wrong passkey': [signInWithPasskey, assertion(startPasskeySignIn, EVIL)],
  'right passkey': [signInWithPasskey, assertion(startPasskeySignIn)],
  'begun passkey sign-in': [startPasskeySignIn, () => ({})],
  'wrong step-up by password': [stepUp, () => ({ password: 'not this one' })],
  'right step-up by password': [stepUp, (guest) => ({ password: guest.password })],
  'code for a step-up': [sendStepUpCode, () => ({})],
  'wrong step-up by mail': [stepUp, inSession(notSent)],
  'right step-up by mail': [stepUp, inSession(sent)],
  'wrong step-up by app': [stepUp, notShown],
  'right step-up by app': [stepUp, shown],
  'wrong step-up by passkey': [stepUpWithPasskey, assertion(startPasskeyStepUp, EVIL)],
  'right step-up by passkey': [stepUpWithPasskey, assertion(startPasskeyStepUp)],
  'sign-up': [signUp, (own) => ({ ...own, phone_number: own.phone, confirm_password: own.password })],
  'forgotten password': [forgotPassword, ({ email }) => ({ email })],
  'new account': [createAccount, () => ({ name: 'Shop' })],
  'code to a new phone': [
    updateTwoFactor,
    ({ phone: phone_number, password: current_password }) => ({
      ...{ two_factor_enabled: true, two_factor_method: 'sms', phone_number, current_password },
    }),
  ],
};

const FACTORS = {
  none: () => person(service, 'None'),
  mail: () => twoFactorPerson(service, 'Mail'),
  app: async () => {
    const alice = await person(service, 'App');
    return { ...alice, app: await withAuthenticator(service, alice) };
  },
  passkey: async () => {
    const alice = await person(service, 'Passkey');
    const key = softwarePasskey('http://sixdigit.test');
    const { options } = (await service.call(startPasskey, { bearer: alice.access })).body;
    const body = { name: 'Key', credential: key.create(options) };
    await service.call(addPasskey, { bearer: alice.access, body });
    return { ...alice, key };
  },
};

/** Attempts, the second factor of their person, their network, and each limit that counts them, with its subjects. */
const COUNTED = `
  wrong password | none | unknown | sign-in: ip, sign-in account: email ip, sign-in account network: email home, sign-in failures: email elsewhere
  wrong password | none | known | sign-in account: email ip, sign-in failures: email home, first in queue: email home
  right password | none | unknown | no limit
  right password | none | known | first in queue: email home
  right password | mail | unknown | codes: person
  right password | mail | known | codes network: person home, first in queue: email home
  wrong mailed code | mail | unknown | code entry: ip
  wrong mailed code | mail | known | no limit
  right mailed code | mail | unknown | no limit
  wrong code of the app | app | unknown | code entry: ip, authenticator: person elsewhere
  wrong code of the app | app | known | authenticator: person home
  right code of the app | app | unknown | no limit
  wrong passkey step | passkey | unknown | passkey: ip
  right passkey step | passkey | known | no limit
  wrong passkey | passkey | unknown | passkey: ip
  right passkey | passkey | unknown | no limit
  begun passkey sign-in | none | unknown | passkey options: ip
  wrong step-up by password | none | unknown | step-up: session
  right step-up by password | none | unknown | no limit
  code for a step-up | mail | unknown | step-up codes: session
  wrong step-up by mail | mail | unknown | step-up: session, code entry: ip
  right step-up by mail | mail | unknown | no limit
  wrong step-up by app | app | unknown | step-up: session, authenticator: person elsewhere
  wrong step-up by app | app | known | step-up: session, authenticator: person home
  right step-up by app | app | known | no limit
  wrong step-up by passkey | passkey | known | step-up: session
  right step-up by passkey | passkey | known | no limit
  sign-up | none | unknown | sign-up: home, anonymous recipient address: email ip, anonymous recipient: email
  forgotten password | none | unknown | forgot: ip, reset mails: email, reset codes: email
  forgotten password | none | known | reset mails network: email home, reset codes network: email home
  new account | none | known | accounts: person
  code to a new phone | none | known | codes: person`;

test.each(
  COUNTED.trim()
    .split('\n')
    .map((line) => line.split('|').map((text) => text.trim())),
)('a %s (second factor: %s, network: %s) counts toward %s', async (title, factor, network, names) => {
  const [route, given] = ATTEMPTS[title] as Attempt;
  const ip = network === 'known' ? KNOWN : STRANGE;
  const alice = await FACTORS[factor as keyof typeof FACTORS]();
  const { person, session } = await service.app.db.one<{ person: string; session: string }>(
    'select p.id as person, s.id as session from people p join sessions s on s.person_id = p.id where email = $1',
    [alice.email],
  );
  const guest = { ...alice, ip } as Guest;
  const body = await given(guest);
  await service.app.db.run('delete from throttles');
  expect((await call(guest, route, body)).status).toBe(title.startsWith('wrong') ? 400 : route.status);
  const { home } = clientOf({ ip, headers: {} });
  const subjects: Record<string, string | null> = {
    email: guest.email,
    ip,
    home,
    person,
    session,
    elsewhere: 'elsewhere',
  };
  const expected = names === 'no limit' ? [] : names.split(', ');
  const labels = new Map(
    expected.map((label) => {
      const [name, of = ''] = label.split(': ');
      const text = JSON.stringify([name, ...of.split(' ').map((one) => subjects[one])]);
      return [service.app.vault.fingerprint('throttle', text).toString('hex'), label];
    }),
  );
  const found = await service.app.db.rows<{ key: string }>(
    `select encode(key, 'hex') as key from throttles where used > 0`,
  );
  expect(found.map(({ key }) => labels.get(key) ?? 'another limit').toSorted()).toEqual(expected.toSorted());
});
