import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { getUnverifiedCosts } from '@sixdigit/contract/unverified-costs.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { rowsReadBy } from '../../../test/rows-read.ts';
import { type Customer, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { countNextCosts, unverifiedCostsOf } from './unverified-costs.ts';

const HOUR = 3_600_000;
const service = fixture(() => testService({ env: { ALLOWED_COUNTRIES: 'US,CA,GB' } }));
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob'));

const send = async (of: Customer, recipient: string) => {
  const channel = recipient.startsWith('+') ? 'sms' : 'email';
  const { status, body } = await service.call(sendOtp, {
    apiKey: of.api_key,
    body: { channel, recipient },
  });
  expect(status).toBe(201);
  await service.deliver();
  return body.otp_id;
};
const enter = async (of: Customer, recipient: string) => {
  const otp_id = await send(of, recipient);
  const code = (await service.inbox(recipient))[0]?.code ?? '';
  expect((await service.call(verifyOtp, { apiKey: of.api_key, body: { otp_id, code } })).status).toBe(200);
};
const costs = async (of = alice, days = '30') => {
  const bearer = await signedIn(service, of);
  const { status, body } = await service.call(getUnverifiedCosts, { bearer, query: { days } as never });
  expect(status).toBe(200);
  return body;
};

/** Three unverified codes to one British prefix, one verified and one unverified American one, a verified Canadian one, and one e-mail. */
const traffic = async () => {
  for (const last of ['0001', '0002', '0003']) await send(alice, `+44740012${last}`);
  await enter(alice, '+14155550100');
  await send(alice, '+14155550101');
  await enter(alice, '+14165550100');
  await send(alice, 'reader@example.com');
};
beforeAll(async () => {
  await traffic();
  await send(bob, '+447400129999');
});

const BRITISH = { country: 'GB', verified: 0, unverified: 3, credits: 3 };
const AMERICAN = { country: 'US', verified: 1, unverified: 1, credits: 1, rule: null };

test('open codes cost nothing yet, and expired ones are summed by country and prefix', async () => {
  expect(await costs()).toMatchObject({ credits: 0, unverified: 0, by_country: [], by_prefix: [] });
  await service.clock.advance(HOUR / 2);
  const { spent, credits, unverified, by_country, by_prefix } = await costs();
  expect({ spent, credits, unverified }).toEqual({ spent: 7, credits: 5, unverified: 5 });
  expect(by_country).toEqual([
    { ...BRITISH, rule: 'country' },
    { country: null, verified: 0, unverified: 1, credits: 1, rule: null },
    AMERICAN,
  ]);
  expect(by_prefix).toEqual([
    { ...BRITISH, prefix: '+44740012', rule: 'country_unverified' },
    { ...AMERICAN, prefix: '+1415555' },
  ]);
});

test('counted days and the present day add up, and a day is counted once by several processes', async () => {
  const before = await costs();
  await service.clock.advance(30 * HOUR);
  await service.drain({ keepHouse: true });
  await Promise.all([1, 2].map(() => countNextCosts(service.app)));
  while (await countNextCosts(service.app));
  const { credits, by_country, by_prefix } = await costs();
  expect({ credits, by_country, by_prefix }).toEqual({
    credits: before.credits,
    by_country: before.by_country,
    by_prefix: before.by_prefix,
  });
  await service.app.db.transaction(async (tx) => {
    const read = await rowsReadBy(tx, () =>
      unverifiedCostsOf({ db: tx as never }, alice.account_id, { days: '30' }),
    );
    expect(
      [...read].filter(([table]) => table.startsWith('verifications')).reduce((n, [, rows]) => n + rows, 0),
    ).toBe(0);
  });
  await traffic();
  await service.clock.advance(HOUR / 2);
  expect(await costs()).toMatchObject({ credits: 10, spent: 14 });
  expect((await costs(alice, '7')).credits).toBe(10);
});

test('another account has its own costs', async () => {
  expect(await costs(bob)).toMatchObject({ credits: 1, by_prefix: [{ prefix: '+44740012', credits: 1 }] });
  const carol = await service.customer('Carol');
  expect(await costs(carol)).toMatchObject({ credits: 0, spent: 0, by_country: [] });
});

test('many unverified codes to one prefix name the rule on prefixes', async () => {
  await service.app.db.run(
    `insert into verifications (account_id, id, api_key_id, created_at, expires_at, sent_at, cost_credits, code_length,
       channel, recipient, status, country)
     select $1, new_uuid(), $2, clock_now(), clock_now(), clock_now(), 2, 6, 'sms', '+44791119' || lpad(n::text, 4, '0'),
       'expired', 'GB' from generate_series(1, 25) n`,
    [alice.account_id, alice.api_key_id],
  );
  expect((await costs()).by_prefix[0]).toEqual({
    country: 'GB',
    prefix: '+44791119',
    verified: 0,
    unverified: 25,
    credits: 50,
    rule: 'prefix_conversion',
  });
});

test('an unknown period is a field error, and without a session there are no costs', async () => {
  const bearer = await signedIn(service, alice);
  expect(await service.call(getUnverifiedCosts, { bearer, query: { days: '8' } as never })).toMatchObject({
    status: 400,
    body: { days: ['Days must be one of: 7, 30, 90.'] },
  });
  expect((await service.call(getUnverifiedCosts)).status).toBe(401);
});
