import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { verifyOtp } from '@sixdigit/contract/otp.ts';
import {
  checkDestination,
  checkOwnDestination,
  listBlocks,
  unblockDestination,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { beforeAll, expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { optOut } from '../../messaging/opt-outs/opt-outs.ts';

const service = fixture(testService);

const NUMBER = '+14155550121';
const putFor = async (alice: Sender, body: object) =>
  expect(
    (await service.call(updateProtection, { bearer: await signedIn(service, alice), body })).status,
  ).toBe(200);

interface Refusal {
  what: string;
  credits?: number;
  number?: string;
  decision: 'blocked' | 'refused';
  reason: string;
  /** creates the state */
  before(alice: Sender, number: string): Promise<unknown>;
}

const REFUSALS: Refusal[] = [
  {
    what: 'no credits',
    credits: 0,
    decision: 'refused',
    reason: 'insufficient_credits',
    before: async () => {},
  },
  {
    what: 'an opted-out recipient',
    number: '+14155550122',
    decision: 'refused',
    reason: 'recipient_opted_out',
    before: (_, number) => optOut(service.app.db, service.app.vault.fingerprint('opt-out', number)),
  },
  {
    what: 'the limit of a recipient',
    decision: 'refused',
    reason: 'recipient_rate_limited',
    async before(alice, number) {
      for (let n = 0; n < 5; n++) await alice.sent(number);
    },
  },
  {
    what: 'a spend limit',
    decision: 'refused',
    reason: 'spend_limit_reached',
    async before(alice) {
      const bearer = await signedIn(service, alice);
      const body = { daily_credit_limit: 1, monthly_credit_limit: null };
      expect((await service.call(updateSpend, { bearer, body })).status).toBe(200);
      await alice.sent('+14155550199');
    },
  },
  {
    what: 'the deny list',
    decision: 'blocked',
    reason: 'destination_blocked',
    before: (alice) => putFor(alice, { deny: [{ kind: 'country', value: 'US' }] }),
  },
  {
    what: 'a rule, and no credits either',
    credits: 0,
    decision: 'blocked',
    reason: 'destination_blocked',
    before: (alice) => putFor(alice, { rules: { country: { mode: 'enforce', countries: ['CA'] } } }),
  },
  {
    what: 'an opt-out before a rule',
    number: '+14155550123',
    decision: 'refused',
    reason: 'recipient_opted_out',
    async before(alice, number) {
      await putFor(alice, { deny: [{ kind: 'number', value: number }] });
      await optOut(service.app.db, service.app.vault.fingerprint('opt-out', number));
    },
  },
];

test.each(REFUSALS)(
  'the destination check predicts the result of a send: $what',
  async ({ what, credits, number = NUMBER, ...wanted }) => {
    const alice = await sender(service, what, { credits: credits ?? 100 });
    await wanted.before(alice, number);
    const body = { recipient: number };
    const [byKey, byUser] = [
      await service.call(checkDestination, { apiKey: alice.key(), body }),
      await service.call(checkOwnDestination, { bearer: await signedIn(service, alice), body }),
    ];
    const sent = await alice.send(number);
    expect(sent.status).not.toBe(201);
    const { error, reason } = sent.body as unknown as { error: string; reason: string };
    expect(reason).toBe(wanted.reason);
    for (const { status, body: check } of [byKey, byUser]) {
      expect(status).toBe(200);
      expect(check).toMatchObject({ decision: wanted.decision, refusal: { reason, error } });
    }
  },
);

test('a send that the destination check allows is accepted, and the check changes nothing', async () => {
  const alice = await sender(service, 'Allowed', { credits: 1 });
  for (let n = 0; n < 8; n++) {
    const { body } = await service.call(checkDestination, {
      apiKey: alice.key(),
      body: { recipient: '+14155550131' },
    });
    expect(body).toMatchObject({ decision: 'allowed', refusal: null });
  }
  expect(await alice.balance()).toBe(1);
  expect((await alice.send('+14155550131')).status).toBe(201);
});

test('the destination check marks each rule that it cannot compare', async () => {
  const alice = await sender(service, 'Nothing', { credits: 5 });
  const { body } = await service.call(checkDestination, {
    apiKey: alice.key(),
    body: { recipient: '+14155550132' },
  });
  const compared = Object.fromEntries(
    body.rules.filter(({ scope }) => scope === 'account').map(({ rule, is_compared }) => [rule, is_compared]),
  );
  expect(compared).toEqual({
    country: true,
    prefix_velocity: true,
    client_velocity: false,
    client_unverified: false,
    client_countries: false,
    prefix_conversion: true,
    country_unverified: true,
  });
});

test('the destination check refuses invalid input with the same errors as a send', async () => {
  const alice = await sender(service, 'Wrong', { credits: 5 });
  for (const recipient of ['+447400123456', '12', 'nobody']) {
    const checked = await service.call(checkDestination, { apiKey: alice.key(), body: { recipient } });
    const sent = await alice.send(recipient, { channel: 'sms' });
    expect([checked.status, checked.body]).toEqual([sent.status, sent.body]);
  }
});

const alice = fixture(() => sender(service, 'Alice', { credits: 1_000 }));
beforeAll(async () => {
  await put({ rules: { country_unverified: { mode: 'off' } } });
});

/** Tokens expire when the clock advances. */
const token = () => signedIn(service, alice);
const put = async (body: object) =>
  expect((await service.call(updateProtection, { bearer: await token(), body })).status).toBe(200);
/** Numbers of one prefix each: +1415 55<prefix> <n>. */
const phone = (prefix: number, n: number) => `+141555${prefix}${String(n).padStart(4, '0')}`;
const sends = async (prefix: number, count: number) => {
  const answers = [];
  for (let n = 0; n < count; n++) answers.push(await alice.send(phone(prefix, n + 1000)));
  return answers;
};
const measured = async (recipient: string, name: string) => {
  const { body } = await service.call(checkDestination, { apiKey: alice.key(), body: { recipient } });
  return body.rules
    .filter(({ scope }) => scope === 'account')
    .flatMap((rule) => rule.measured)
    .find((one) => one.name === name)?.value;
};

test('a send to a blocked destination is refused with its rules, costs nothing, and is in the request log and the blocks', async () => {
  await put({ rules: { prefix_velocity: { mode: 'enforce', limit: 5 } } });
  const before = await alice.balance();
  const answers = await sends(1, 7);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 400, 400]);
  expect(answers[6]?.body).toEqual({
    error: 'Sending to this destination is blocked',
    reason: 'destination_blocked',
    blocked_by: ['prefix_velocity'],
    blocked_until: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(await alice.balance()).toBe(before - 5);
  await service.app.requestLog.flush();
  const logs = await service.call(listRequestLogs, {
    bearer: await token(),
    query: { status_code: '400' },
  });
  expect(logs.body.results[0]).toMatchObject({
    reason: 'destination_blocked',
    blocked_by: ['prefix_velocity'],
    credits_used: 0,
  });
  await service.app.protection.exchange();
  const { body } = await service.call(listBlocks, { bearer: await token() });
  expect(body).toMatchObject({ blocked: 2, monitored: 0 });
  expect(body.results).toMatchObject([
    {
      rule: 'prefix_velocity',
      scope: 'account',
      prefix: '+1415551',
      country: 'US',
      blocked: 2,
      allow: { kind: 'prefix', value: '+1415551' },
      is_allowed: false,
    },
  ]);
});

test('a send to a blocked destination passes once the window has passed', async () => {
  await service.clock.advance(11 * 60_000);
  expect((await alice.send(phone(1, 2000))).status).toBe(201);
});

test('a send to a blocked destination is accepted and recorded while the rule only monitors', async () => {
  await put({ rules: { prefix_velocity: { mode: 'monitor', limit: 5 } } });
  const answers = await sends(2, 6);
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
  await service.app.protection.exchange();
  const { body } = await service.call(listBlocks, { bearer: await token() });
  expect(body.results).toMatchObject([{ prefix: '+1415552', blocked: 0, monitored: 1 }, {}]);
});

test('sends by e-mail have no destination rules', async () => {
  await put({ deny: [{ kind: 'country', value: 'US' }] });
  expect((await alice.send('pat@example.com')).status).toBe(201);
  await put({ deny: [] });
});

test('a client may ask for codes to three numbers in ten minutes', async () => {
  await put({ rules: { client_velocity: { mode: 'enforce' } } });
  const client_ip = '198.51.100.7';
  const answers = [];
  for (const prefix of [5, 6, 7, 8]) answers.push(await alice.send(phone(prefix, 1000), { client_ip }));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 400]);
  expect(answers[3]?.body).toMatchObject({ blocked_by: ['client_velocity'] });
  await service.app.protection.exchange();
  const { results } = (await service.call(listBlocks, { bearer: await token() })).body;
  expect(results.filter(({ client }) => client !== null)).toMatchObject([
    { rule: 'client_velocity', client: client_ip, allow: { kind: 'address', value: client_ip } },
  ]);
  expect((await alice.send(phone(8, 1000), { client_ip: '198.51.100.8' })).status).toBe(201);
  expect((await alice.send(phone(5, 1000), { client_ip })).status).toBe(201);
});

test('verified, expired and undispatched codes are counted for the destination rules', async () => {
  const over = 'finished sends to the prefix in an hour';
  const [one, two] = [phone(9, 1000), phone(9, 2000)];
  const verified = await alice.sent(one);
  await alice.sent(two);
  await service.drain();
  const code = await alice.code(one);
  expect(
    (await service.call(verifyOtp, { apiKey: alice.key(), body: { otp_id: verified, code } })).status,
  ).toBe(200);
  expect(await measured(one, over)).toBe(1);
  expect(await measured(one, 'verified of these')).toBe(1);
  const undispatched = await alice.sent(phone(9, 3000));
  await alice.cancel(undispatched);
  expect(await measured(one, over)).toBe(1);
  expect(await measured(one, 'sends to the prefix in 10 minutes')).toBe(2);
  await service.clock.advance(301_000);
  await service.drain();
  expect(await measured(one, over)).toBe(2);
});

test('a batch of sends that fails is not counted for the destination rules', async () => {
  const recipient = phone(0, 1000);
  await service.app.db.run(`alter table ledger rename to ledger_away`);
  expect((await alice.send(recipient)).status).toBe(500);
  await service.app.db.run(`alter table ledger_away rename to ledger`);
  expect(await measured(recipient, 'sends to the prefix in 10 minutes')).toBe(0);
  await alice.sent(recipient);
  expect(await measured(recipient, 'sends to the prefix in 10 minutes')).toBe(1);
});

test('the first block of a prefix each day sends a mail with a link that ends the block', async () => {
  await put({ rules: { prefix_velocity: { mode: 'enforce', limit: 5 } } });
  await service.clock.advance(3_600_000);
  expect((await sends(6, 8)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 400, 400, 400]);
  await service.app.protection.exchange();
  expect((await sends(6, 1))[0]?.status).toBe(400);
  await service.drain();
  const mails = (await service.inbox(alice.email)).filter(({ subject }) => subject?.includes('+1415556'));
  expect(mails).toHaveLength(1);
  const link = /token=([\w.-]+)/.exec(mails[0]?.text ?? '')?.[1] ?? '';
  const { body } = await service.call(unblockDestination, { body: { token: link } });
  expect(body).toMatchObject({ kind: 'prefix', value: '+1415556' });
  expect((await service.call(unblockDestination, { body: { token: link } })).status).toBe(200);
  const { results } = (
    await service.call(listAuditEntries, { bearer: await token(), query: { search: '+1415556' } })
  ).body;
  expect(results).toMatchObject([
    { action: 'protection.unblock', before: { allow: [] }, after: { allow: ['prefix +1415556'] } },
  ]);
  expect((await sends(6, 1))[0]?.status).toBe(201);
  await put({ rules: { prefix_velocity: { mode: 'monitor' } }, allow: [] });
});

const other = fixture(() => anotherProcess(service));

const inOther = async (recipient: string, name: string) => {
  const { body } = await other.call(checkDestination, { apiKey: alice.key(), body: { recipient } });
  return body.rules.flatMap((rule) => rule.measured).find((one) => one.name === name)?.value;
};
const SENDS = 'sends to the prefix in 10 minutes';

test('several processes count sends together, each once', async () => {
  await service.clock.advance(3_600_000);
  await sends(1, 3);
  await service.app.protection.exchange();
  for (let n = 0; n < 3; n++) await other.app.protection.exchange();
  expect(await inOther(phone(1, 1000), SENDS)).toBe(3);
  await sends(1, 1);
  await service.app.protection.exchange();
  await other.app.protection.exchange();
  expect(await inOther(phone(1, 1000), SENDS)).toBe(4);
});

test('changed destination rules apply in all processes', async () => {
  await put({ deny: [{ kind: 'prefix', value: '+1415552' }] });
  await other.app.protection.exchange();
  const { body } = await other.call(checkDestination, {
    apiKey: alice.key(),
    body: { recipient: phone(2, 1000) },
  });
  expect(body.blocked_by).toEqual(['deny_list']);
  await put({ deny: [] });
});

test('a process that starts from hourly sums has the same counts', async () => {
  await service.app.protection.exchange();
  await service.drain();
  const { unsummed } = await service.app.db.one<{ unsummed: number }>(
    'select count(*) as unsummed from protection_deltas where not is_summed',
  );
  expect(unsummed).toBe(0);
  await using started = await anotherProcess(service);
  for (const prefix of [1, 2, 6, 9])
    for (const name of [SENDS, 'finished sends to the prefix in 24 hours', 'verified of these']) {
      const { body } = await started.call(checkDestination, {
        apiKey: alice.key(),
        body: { recipient: phone(prefix, 1000) },
      });
      const found = body.rules
        .filter(({ scope }) => scope === 'account')
        .flatMap((rule) => rule.measured)
        .find((one) => one.name === name)?.value;
      expect({ prefix, name, value: found }).toEqual({
        prefix,
        name,
        value: await measured(phone(prefix, 1000), name),
      });
    }
});

test('a process that starts loads the earlier counts', async () => {
  await service.app.protection.exchange();
  await using started = await anotherProcess(service);
  const { body } = await started.call(checkDestination, {
    apiKey: alice.key(),
    body: { recipient: phone(1, 1000) },
  });
  const ofPrefix = (checked: typeof body, name: string) =>
    checked.rules.flatMap((rule) => rule.measured).find((one) => one.name === name)?.value;
  expect(ofPrefix(body, SENDS)).toBe(4);
  const earlier = await started.call(checkDestination, {
    apiKey: alice.key(),
    body: { recipient: phone(9, 1000) },
  });
  expect(ofPrefix(earlier.body, SENDS)).toBe(0);
  expect(ofPrefix(earlier.body, 'finished sends to the prefix in 24 hours')).toBe(2);
});
