import {
  BACK_TEST_DAYS,
  type BackTestBody,
  backTestRule,
  COUNTED_RULES,
  type CountedRule,
  listBlocks,
  type Mode,
  RULES,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilBlocked } from '../../../test/held-lock.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { report } from '../reports/reports.ts';
import { readPastSends } from './back-test.ts';

const service = fixture(testService);

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const OFF = Object.fromEntries(RULES.map((rule) => [rule, { mode: 'off' as const }]));

const THRESHOLDS: { [R in CountedRule]: Record<string, number> } = {
  prefix_velocity: { limit: 5 },
  client_velocity: { limit: 6, recipients: 4 },
  client_unverified: { limit: 5, percent: 25 },
  client_countries: { limit: 1 },
  prefix_conversion: { limit: 6, percent: 30, hours: 2 },
  country_unverified: { limit: 8, percent: 0 },
};

const rulesIn = (mode: Mode) => ({
  country: { mode: 'off' },
  ...Object.fromEntries(COUNTED_RULES.map((rule) => [rule, { mode, ...THRESHOLDS[rule] }])),
});

const bearerOf = (alice: Sender) => signedIn(service, alice);
const put = async (alice: Sender, body: object) =>
  expect((await service.call(updateProtection, { bearer: await bearerOf(alice), body })).status).toBe(200);
const run = async (alice: Sender, body: z.input<typeof BackTestBody> | object) =>
  service.call(backTestRule, { bearer: await bearerOf(alice), body: body as BackTestBody });
const tested = async (alice: Sender, rule: CountedRule, thresholds: object = {}) => {
  const { status, body } = await run(alice, { rule, thresholds });
  expect(status).toBe(200);
  return body;
};

interface Request {
  /** a number without its last four digits */
  prefix: string;
  /** one person; each account has other numbers of the same prefix */
  person: number;
  client?: string;
  isVerified?: boolean;
}

/** The same request to every account. Returns the status of each response. */
async function request(accounts: readonly Sender[], { prefix, person, client, isVerified }: Request) {
  const more = client === undefined ? {} : { client_ip: client };
  const numbers = accounts.map((_, n) => `${prefix}${String(person * 10 + n).padStart(4, '0')}`);
  await service.drain();
  const answers = await Promise.all(accounts.map((alice, n) => alice.send(numbers[n] ?? '', more)));
  await service.drain();
  if (isVerified)
    await Promise.all(
      accounts.map(async (alice, n) => {
        const { status, body } = answers[n] ?? {};
        if (status === 201 && body) await alice.verify(body.otp_id, await alice.code(numbers[n] ?? ''));
      }),
    );
  for (const { status, body } of answers)
    if (status !== 201) expect(body).toMatchObject({ reason: 'destination_blocked' });
  return answers.map(({ status }) => status);
}

const HOME = ['+1415555', '+1212555', '+1646555', '+1312555', '+1617555', '+1206555', '+1303555', '+1404555'];
const ABROAD = ['+1613555', '+1416555'];
const ATTACKED = '+1702555';
const CLIENT = '203.0.113.9';

/**
 * Users first: two thirds of them enter their codes, so that the rules finish learning. A day later, an attack that includes
 * one user.
 */
async function* traffic(): AsyncGenerator<Request> {
  for (let n = 0; n < 102; n++) {
    yield { prefix: HOME[n % HOME.length] as string, person: 100 + n, isVerified: n % 3 > 0 };
    await service.clock.advance(20_000);
  }
  await service.clock.advance(15 * MINUTE);
  await service.drain();
  await service.clock.advance(DAY);
  for (let n = 0; n < 8; n++) yield { prefix: ATTACKED, person: n, isVerified: n === 7 };
  await service.clock.advance(12 * MINUTE);
  for (let n = 0; n < 8; n++) {
    await service.clock.advance(2 * MINUTE);
    yield { prefix: ATTACKED, person: 20 + n };
  }
  for (let n = 0; n < 6; n++) yield { prefix: '+1503555', person: n, client: CLIENT };
  for (const prefix of ABROAD) yield { prefix, person: 1, client: CLIENT };
  yield { prefix: '+1503555', person: 9, client: CLIENT, isVerified: true };
  await service.clock.advance(20 * MINUTE);
  await service.drain();
}

describe('compared with the decisions of the rules on the same traffic', () => {
  let all: Sender;
  let monitored: Sender;
  const enforced = new Map<CountedRule, { statuses: (number | undefined)[] }>();
  let requests: Request[];
  const times: number[] = [];

  beforeAll(async () => {
    all = await sender(service, 'All', { credits: 1_000 });
    monitored = await sender(service, 'Monitored', { credits: 1_000 });
    await put(all, { rules: rulesIn('off') });
    await put(monitored, { rules: rulesIn('monitor') });
    const others = await Promise.all(
      COUNTED_RULES.map(async (rule) => {
        const alice = await sender(service, rule, { credits: 1_000 });
        const { [rule]: thresholds } = THRESHOLDS;
        await put(alice, { rules: { ...rulesIn('off'), [rule]: { mode: 'enforce', ...thresholds } } });
        return alice;
      }),
    );
    requests = [];
    const answers: (number | undefined)[][] = [];
    for await (const one of traffic()) {
      times.push(service.app.clock.now().getTime());
      requests.push(one);
      answers.push(await request([all, monitored, ...others], one));
    }
    for (const [n, rule] of COUNTED_RULES.entries())
      enforced.set(rule, { statuses: answers.map((statuses) => statuses[n + 2]) });
  }, 120_000);

  /** What the rule in `enforce` really blocked. */
  const blockedBy = (rule: CountedRule) => {
    const blocked = requests.filter((_, n) => enforced.get(rule)?.statuses[n] === 400);
    return { blocked: blocked.length, verified: blocked.filter(({ isVerified }) => isVerified).length };
  };

  test.each(COUNTED_RULES)(
    'a back-test of %s finds the sends that the rule blocked in enforce',
    async (rule) => {
      const real = blockedBy(rule);
      expect(real.blocked).toBeGreaterThan(0);
      const verified_sends = requests.filter(({ isVerified }) => isVerified).length;
      for (const alice of [all, monitored])
        expect(await tested(alice, rule)).toMatchObject({
          rule,
          ...real,
          sends: requests.length,
          verified_sends,
          learning: 0,
          limited_by: null,
        });
    },
  );

  test.each(COUNTED_RULES)(
    'in monitor, %s first objects to the send that a back-test blocks first',
    async (rule) => {
      const { body } = await service.call(listBlocks, { bearer: await bearerOf(monitored) });
      const own = body.results.filter((block) => block.rule === rule && block.scope === 'account');
      const first = Math.min(...own.map(({ first_at }) => Date.parse(first_at)));
      expect(times.findLastIndex((time) => time <= first)).toBe(enforced.get(rule)?.statuses.indexOf(400));
    },
  );

  test('a back-test compares the thresholds with the saved ones and shows masked examples, real users first', async () => {
    const { saved, ...strict } = await tested(monitored, 'prefix_velocity', { limit: 5 });
    expect(saved).toEqual({ blocked: strict.blocked, verified: strict.verified });
    const lenient = await tested(monitored, 'prefix_velocity', { limit: 100 });
    expect(lenient).toMatchObject({ blocked: 0, verified: 0, saved, examples: [] });
    expect(strict.examples).toHaveLength(5);
    expect(strict.examples.map(({ verified }) => verified)).toEqual([true, true, false, false, false]);
    for (const { recipient, country } of strict.examples) {
      expect(recipient).toMatch(/^\+1\d{3}••••\d\d$/);
      expect(country).toBe('US');
    }
  });

  test('a back-test does not block what the allow list covers', async () => {
    const allow = [{ kind: 'prefix', value: ATTACKED }];
    await put(all, { allow });
    expect((await tested(all, 'prefix_conversion')).blocked).toBe(0);
    await put(all, { allow: [] });
  });

  test('a back-test counts the sends without an end user’s address', async () => {
    const { without_client, sends } = await tested(all, 'client_velocity');
    expect(sends - without_client).toBe(requests.filter(({ client }) => client !== undefined).length);
  });

  test('a back-test reports erased recipients instead of replaying them', async () => {
    const erased = `${ATTACKED}0000`;
    const { sends } = await tested(all, 'prefix_velocity');
    await service.app.db.run(`update verifications set recipient = '[erased]' where recipient = $1`, [
      erased,
    ]);
    expect(await tested(all, 'prefix_velocity')).toMatchObject({ sends: sends - 1, erased: 1 });
  });

  test('a back-test changes no counter and no block', async () => {
    const { counters } = service.app.protection.guard;
    const before = counters.size;
    await tested(all, 'prefix_conversion', { limit: 5 });
    expect(counters.size).toBe(before);
    expect((await all.send(`${ATTACKED}0999`)).status).toBe(201);
  });
});

test('a rule that was still learning would only have monitored', async () => {
  const bob = await sender(service, 'Bob');
  await put(bob, { rules: OFF });
  for (let n = 0; n < 8; n++) await request([bob], { prefix: '+1702556', person: n, client: CLIENT });
  const body = await tested(bob, 'client_unverified', { limit: 5 });
  expect(body).toMatchObject({ sends: 8, blocked: 0, learning: 3 });
});

test.each(['cancel', 'verify'] as const)(
  'a delivery report that arrives late does not move the end of a send, after a %s',
  async (ending) => {
    const { app } = service;
    const judy = await sender(service, 'Judy');
    const recipient = '+14155550133';
    const otp_id = await judy.sent(recipient);
    const again = ending === 'verify' ? await judy.sent(recipient) : otp_id;
    await service.deliver();
    if (ending === 'cancel') await judy.cancel(otp_id);
    else await judy.verify(again, await judy.code(recipient));
    const endedMs = app.clock.now().getTime();
    await service.clock.advance(60 * MINUTE);
    const sent = { account_id: judy.account_id, otp_id, carrier: 'sandbox' };
    await report(app, { ...sent, state: 'delivered', provider_message_id: null, reason: null });
    const asked = { now: app.clock.now(), signal: new AbortController().signal };
    const { sends } = await readPastSends(app, judy.account_id, asked);
    const end = sends.find(({ id }) => id === otp_id)?.end;
    expect(end?.event).toBe(ending === 'verify' ? 'verified' : 'unverified');
    expect(end?.at_ms).toBeLessThan(endedMs + MINUTE);
  },
);

test('emails and the sends of other accounts are not part of a back-test', async () => {
  const carol = await sender(service, 'Carol');
  expect((await carol.send('carol@customers.test')).status).toBe(201);
  expect(await tested(carol, 'prefix_velocity')).toMatchObject({ sends: 0, blocked: 0, examples: [] });
});

test('the tested period is at most 30 days', async () => {
  const dan = await sender(service, 'Dan');
  await dan.sent('+14155550109');
  await service.clock.advance((BACK_TEST_DAYS + 1) * DAY);
  await dan.sent('+14155550109');
  const { from, to, sends } = await tested(dan, 'prefix_velocity');
  expect(sends).toBe(1);
  expect(Date.parse(to) - Date.parse(from)).toBe(BACK_TEST_DAYS * DAY);
});

test.each([
  [{}, { rule: ['This field is required.'] }],
  [{ rule: 'country' }, { rule: [expect.stringMatching(/^Rule must be one of: prefix_velocity, /)] }],
  [
    { rule: 'prefix_velocity', thresholds: { limit: 1 } },
    { thresholds: ['prefix_velocity: limit must be between 5 and 10000.'] },
  ],
  [{ rule: 'prefix_velocity', thresholds: { hours: 3 } }, { thresholds: ['prefix_velocity has no hours.'] }],
  [{ rule: 'prefix_velocity', thresholds: { most: 3 } }, { thresholds: ['There is no most here.'] }],
  [{ rule: 'prefix_velocity', thresholds: { limit: 7.5 } }, { thresholds: ['Must be a whole number.'] }],
])('a back-test of %j is refused with a sentence', async (body, wanted) => {
  const erin = await sender(service, 'Erin');
  expect(await run(erin, body)).toMatchObject({ status: 400, body: wanted });
});

test('a back-test needs a session', async () => {
  const { status } = await service.call(backTestRule, {
    bearer: 'wrong',
    body: { rule: 'prefix_velocity', thresholds: {} },
  });
  expect(status).toBe(401);
});

test('a back-test whose history cannot be read in time is refused with list_timeout', async () => {
  const frank = await sender(service, 'Frank');
  const bearer = await bearerOf(frank);
  await using _ = await holdLock(service, 'lock table verifications in access exclusive mode', []);
  const body = { rule: 'prefix_velocity' as const, thresholds: {} };
  expect(await service.call(backTestRule, { bearer, body })).toMatchObject({
    status: 503,
    body: { reason: 'list_timeout' },
  });
});

test('while one account starts many back-tests, another account’s is answered', async () => {
  const [grace, heidi] = [await sender(service, 'Grace'), await sender(service, 'Heidi')];
  const [bearer, hers] = [await bearerOf(grace), await bearerOf(heidi)];
  const body = { rule: 'prefix_velocity' as const, thresholds: {} };
  const many = Array.from({ length: 8 }, () => service.call(backTestRule, { bearer, body }));
  expect((await service.call(backTestRule, { bearer: hers, body })).status).toBe(200);
  for (const { status } of await Promise.all(many)) expect([200, 429]).toContain(status);
});

test('back-tests whose clients disconnect make room for the next', async () => {
  const ivan = await sender(service, 'Ivan');
  const bearer = await bearerOf(ivan);
  const url = `${await service.listen()}/api/v1/protection/back-test/`;
  const post = (signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ rule: 'prefix_velocity' }),
      ...(signal && { signal }),
    });
  const leaving = new AbortController();
  await using lock = await holdLock(service, 'lock table verifications in access exclusive mode', []);
  const left = Array.from({ length: 3 }, () => post(leaving.signal).catch(() => 'left'));
  await untilBlocked(service, 'from verifications');
  leaving.abort();
  expect(await Promise.all(left)).toEqual(['left', 'left', 'left']);
  const next = post();
  await lock.commit();
  expect((await next).status).toBe(200);
});
