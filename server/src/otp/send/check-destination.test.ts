import {
  checkDestination,
  checkOwnDestination,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { optOut } from '../../messaging/opt-outs/opt-outs.ts';

/** Whatever would refuse a send, the check says so before, and in the words of the send. */
const service = fixture(testService);

const NUMBER = '+14155550121';
const put = async (alice: Sender, body: object) =>
  expect(
    (await service.call(updateProtection, { bearer: await signedIn(service, alice), body })).status,
  ).toBe(200);

interface Refusal {
  what: string;
  credits?: number;
  number?: string;
  decision: 'blocked' | 'refused';
  reason: string;
  /** brings it about */
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
    before: (alice) => put(alice, { deny: [{ kind: 'country', value: 'US' }] }),
  },
  {
    what: 'a rule, and no credits either',
    credits: 0,
    decision: 'blocked',
    reason: 'destination_blocked',
    before: (alice) => put(alice, { rules: { country: { mode: 'enforce', countries: ['CA'] } } }),
  },
  {
    what: 'an opt-out before a rule',
    number: '+14155550123',
    decision: 'refused',
    reason: 'recipient_opted_out',
    async before(alice, number) {
      await put(alice, { deny: [{ kind: 'number', value: number }] });
      await optOut(service.app.db, service.app.vault.fingerprint('opt-out', number));
    },
  },
];

test.each(REFUSALS)(
  '$what: the check predicts the refusal of the send',
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

test('a send that the check allows is accepted, and the check itself changes nothing', async () => {
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

test('a rule that has nothing to compare says so', async () => {
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

test('input that the send refuses is refused by the check in the same words', async () => {
  const alice = await sender(service, 'Wrong', { credits: 5 });
  for (const recipient of ['+447400123456', '12', 'nobody']) {
    const checked = await service.call(checkDestination, { apiKey: alice.key(), body: { recipient } });
    const sent = await alice.send(recipient, { channel: 'sms' });
    expect([checked.status, checked.body]).toEqual([sent.status, sent.body]);
  }
});
