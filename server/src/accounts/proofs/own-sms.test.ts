import { updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { resendTwoFactor, signIn, signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { callFrom, codeFor, type Person, person } from '../../../test/person.ts';
import { type TestService, testService } from '../../../test/service.ts';
import { clientOf } from '../sessions/client.ts';
import { reserveOwnSms } from './own-sms.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const service = fixture(() => testService({ env: { OWN_SMS_PER_HOUR: '1000' } }));
const other = fixture(() => anotherProcess(service));

let counter = 0;
const number = () => `+1415555${String(7000 + counter++)}`;

const proof = (who: Person, phone_number: string, by: Pick<TestService, 'call'> = service) =>
  by.call(updateTwoFactor, {
    bearer: who.access,
    body: {
      two_factor_enabled: true,
      two_factor_method: 'sms',
      phone_number,
      current_password: who.password,
    },
  });

async function textsTo(phone: string): Promise<number> {
  await service.drain();
  return (await service.inbox(phone)).length;
}

/** An account with SMS two-factor sign-in. */
async function withTwoFactor(name: string): Promise<Person> {
  const who = await person(service, name);
  const { body } = await proof(who, who.phone);
  const proven = await service.call(updateTwoFactor, {
    bearer: who.access,
    body: {
      two_factor_enabled: true,
      two_factor_method: 'sms',
      phone_number: who.phone,
      current_password: who.password,
      session_token: body.session_token ?? '',
      code: await codeFor(service, who.phone),
    },
  });
  expect(proven.body.two_factor_enabled).toBe(true);
  return who;
}

const signInFrom = (address: string, { email, password }: Person) =>
  callFrom(service, address, { route: signIn, body: { email, password } });

/** Counts one text from the dashboard, as a call does. */
const ask = (on: TestService, more: Partial<Parameters<typeof reserveOwnSms>[2]> & { ip: string }) => {
  const { ip, ...rest } = more;
  const addressee = rest.addressee ?? number();
  return on.app.db.transaction((tx) =>
    reserveOwnSms(tx, on.app, {
      purpose: 'sign_up',
      person_id: null,
      client: clientOf({ ip, headers: {} }),
      recipient: addressee,
      ...rest,
      addressee,
    }),
  );
};
const outcomes = (asked: Promise<boolean>[]) =>
  Promise.allSettled(asked).then((all) => ({
    sent: all.filter((one) => one.status === 'fulfilled' && one.value).length,
    refused: all.filter((one) => one.status === 'rejected' && one.reason.reason === 'too_many_requests')
      .length,
  }));

test('an account can send codes to at most three different numbers a day, repeatedly', async () => {
  const mallory = await person(service, 'Mallory');
  const [first = '', ...more] = [number(), number(), number()];
  for (const phone of [first, ...more]) expect((await proof(mallory, phone)).status).toBe(200);
  const refused = await proof(mallory, number());
  expect(refused).toMatchObject({ status: 429, body: { reason: 'too_many_requests' } });
  expect((await proof(mallory, first)).status).toBe(200);
  await service.clock.advance(DAY);
  await service.clock.advance(1_000);
});

test('a phone number gets five texts a day, even if many accounts request them in parallel on two processes', async () => {
  const people: Person[] = [];
  for (let n = 0; n < 6; n += 1) people.push(await person(service, 'Crowd'));
  const phone = number();
  const answers = await Promise.all(people.flatMap((who) => [proof(who, phone), proof(who, phone, other)]));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
  expect(await textsTo(phone)).toBe(5);
});

test('resends of a code count towards the text limit of the phone number', async () => {
  const who = await person(service, 'Resender');
  const phone = number();
  const { body } = await proof(who, phone);
  const statuses: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const again = await service.call(resendTwoFactor, {
      body: { session_token: body.session_token ?? '' },
    });
    statuses.push(again.status);
    await service.clock.advance(31_000);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429]);
  expect(await textsTo(phone)).toBe(5);
});

test('a phone number gets five texts in any 24 hours, and the error states when the next is possible', async () => {
  const phone = number();
  const text = () => ask(service, { ip: '192.0.2.1', addressee: phone });
  for (let n = 0; n < 5; n += 1) {
    expect(await text()).toBe(true);
    await service.clock.advance(HOUR);
  }
  // Removes the counts that have run out.
  await service.drain({ keepHouse: true });
  const refused = await text().catch((error) => error);
  expect(refused.facts.retry_after / 3600).toBeCloseTo(19, 1);
  await service.clock.advance(refused.facts.retry_after * 1_000);
  expect(await text()).toBe(true);
  await expect(text()).rejects.toThrow();
});

test("a phone number still gets its owner's sign-in codes after strangers have used up its texts", async () => {
  const owner = await withTwoFactor('Owner');
  for (const [n] of ['a', 'b', 'c', 'd'].entries())
    await ask(service, { ip: `198.51.100.${n}`, addressee: owner.phone });
  await expect(ask(service, { ip: '198.51.100.9', addressee: owner.phone })).rejects.toThrow();
  // From a new network, and from a known one.
  for (const address of ['203.0.113.50', '127.0.0.1'])
    expect((await signInFrom(address, owner)).body).toMatchObject({ two_factor_method: 'sms' });
});

test('after an attacker with the password has used up the codes, a phone number still gets those requested from a known network', async () => {
  const owner = await withTwoFactor('Robbed');
  for (let n = 0; n < 5; n += 1) expect((await signInFrom(`203.0.113.${n}`, owner)).status).toBe(200);
  expect((await signInFrom('203.0.113.77', owner)).status).toBe(429);
  expect((await signInFrom('198.18.0.1', owner)).status).toBe(429);
  expect((await signInFrom('127.0.0.1', owner)).status).toBe(200);
});

test('a phone number is not stored in the counting tables', async () => {
  const phone = number();
  await ask(service, { ip: '198.51.100.200', addressee: phone });
  const { rows } = await service.app.db.one<{ rows: string }>(
    `select string_agg(o::text, ' ') as rows from own_sms o`,
  );
  for (const part of [phone.slice(1), '198.51.100', Buffer.from(phone).toString('hex')])
    expect(rows).not.toContain(part);
  await service.clock.advance(2 * DAY);
  await service.drain();
  expect(await service.app.db.one('select count(*) from own_sms')).toEqual({ count: 0 });
});

test('a network may request thirty texts an hour across all its addresses, without affecting other networks', async () => {
  const asked = Array.from({ length: 40 }, (_, n) => ask(service, { ip: `192.0.2.${n}` }));
  expect(await outcomes(asked)).toEqual({ sent: 30, refused: 10 });
  expect(await ask(service, { ip: '192.0.3.1' })).toBe(true);
  await service.clock.advance(HOUR);
  await service.clock.advance(1_000);
  expect(await ask(service, { ip: '192.0.2.1' })).toBe(true);
});

test('the service stops its own texts at exactly OWN_SMS_PER_HOUR, with a reserve for owners, a metric and one log line', async () => {
  await using small = await testService({ env: { OWN_SMS_PER_HOUR: '8' } });
  const owner = await person(small, 'Alice');
  const { id } = await small.app.db.one<{ id: string }>('select id from accounts where email = $1', [
    owner.email,
  ]);
  await using second = await anotherProcess(small);
  const both = [small, { ...small, app: second.app } as TestService];
  const crowd = Array.from({ length: 20 }, (_, n) => ask(both[n % 2] as TestService, { ip: `10.${n}.0.1` }));
  expect(await outcomes(crowd)).toEqual({ sent: 4, refused: 16 });

  const signingIn = { purpose: 'sign_in', person_id: id } as const;
  const fromNew = Array.from({ length: 5 }, (_, n) => ask(small, { ...signingIn, ip: `10.9.${n}.1` }));
  expect(await outcomes(fromNew)).toEqual({ sent: 2, refused: 3 });
  const fromKnown = Array.from({ length: 5 }, () => ask(small, { ...signingIn, ip: '127.0.0.1' }));
  expect(await outcomes(fromKnown)).toEqual({ sent: 2, refused: 3 });

  let refusals = 0;
  for (const { metrics, db } of [small.app, second.app]) {
    const { text } = await metrics.scrape(db);
    refusals += Number(/^sixdigit_own_sms_total\{outcome="deployment"\} (\d+)$/m.exec(text)?.[1]);
  }
  expect(refusals).toBe(22);
  const lines = () => small.logLines.filter((line) => line.includes('OWN_SMS_PER_HOUR reached'));
  await expect
    .poll(() =>
      lines()
        .map((line) => JSON.parse(line).asked_by)
        .sort(),
    )
    .toEqual(['anyone', 'known_network', 'new_network']);
  await small.clock.advance(HOUR);
  await small.clock.advance(1_000);
  expect(await ask(small, { ip: '10.1.0.1' })).toBe(true);
});

test('completed sign-ups count towards the sign-up limit on a public service, but not in a private sandbox', async () => {
  const complete = async (on: TestService, n: number) => {
    const email = `many.${n}@people.test`;
    const password = 'a sentence about nothing';
    const { status, body } = await on.call(signUp, {
      body: { email, phone_number: '4155550199', password, confirm_password: password },
    });
    if (status !== 200) return status;
    const code = await codeFor(on, email);
    return (await on.call(verifyTwoFactor, { body: { session_token: body.session_token ?? '', code } }))
      .status;
  };
  for (const isPublic of [true, false]) {
    await using one = await testService(isPublic ? { env: { TRUSTED_PROXIES: '10.0.0.0/8' }, isPublic } : {});
    const key = one.app.vault.fingerprint('throttle', JSON.stringify(['sign-up', '127.0.0.0/24']));
    await one.app.db.run(
      `insert into throttles (key, used, until) values ($1, 58, clock_now() + interval '1 hour')`,
      [key],
    );
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push(await complete(one, n));
    expect(statuses).toEqual(isPublic ? [200, 200, 429, 429] : [200, 200, 200, 200]);
  }
});
