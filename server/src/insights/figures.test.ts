import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { getInsights, getVerificationFigures } from '@sixdigit/contract/insights.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { rowsReadBy } from '../../test/rows-read.ts';
import { sender } from '../../test/sender.ts';
import { type Customer, testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import type { Db, Tx } from '../platform/db/sql.ts';
import { verificationFiguresOf } from './figures.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

const service = fixture(() => testService({ env: { ALLOWED_COUNTRIES: '*' } }));
const alice = fixture(() => sender(service, 'Alice', { credits: 1_000 }));

type Query = Given<typeof getVerificationFigures, 'query'>;
async function figures(query: Partial<Query>, who: Customer = alice) {
  const bearer = await signedIn(service, who);
  const { status, body } = await service.call(getVerificationFigures, { bearer, query: query as Query });
  expect(status).toBe(200);
  return body;
}

/** Far from the ends of the five minutes that figures count by, so that two calls have the same period. */
const toMiddleOfMinute = () =>
  service.clock.advance(1.5 * MINUTE_MS - (service.app.clock.now().getTime() % MINUTE_MS));

/** Yesterday: one verified send to Ann. Today: two to Ann (one verified after 7 s), one failed, one canceled, one to Ben. */
beforeAll(async () => {
  const verified = async (recipient: string, waitMs: number) => {
    const otp_id = await alice.sent(recipient);
    await service.drain();
    await service.clock.advance(waitMs);
    expect((await alice.verify(otp_id, await alice.code(recipient))).status).toBe(200);
  };
  await verified('ann@example.com', 62_000);
  await service.clock.advance(DAY_MS);
  await verified('ann@example.com', 7_000);
  await service.clock.advance(11 * MINUTE_MS);
  await alice.cancel(await alice.sent('ann@example.com'));
  await verified('+14155550171', 90_000);
  await alice.sent('late@example.com');
  await service.clock.advance(10 * MINUTE_MS);
  await service.drain();
});

test('figures follow a search for part of a recipient, with the period before', async () => {
  const found = await figures({ range: '24h', search: 'ANN@' });
  expect(found.totals).toMatchObject({ sent: 2, verified: 1, canceled: 1, failed: 0, conversion: 1 });
  expect(found.totals.median_seconds).toBeGreaterThan(6);
  expect(found.before).toMatchObject({ sent: 1, verified: 1, median_seconds: 70 });
  expect(found.counted_from).toBe(found.from);
  expect(found.series.reduce((sum, { sent }) => sum + sent, 0)).toBe(2);
  expect((await figures({ range: '24h', search: '(415) 555-0171' })).totals).toMatchObject({ sent: 1 });
  expect((await figures({ range: '24h', search: 'nobody' })).totals).toMatchObject({ sent: 0, credits: 0 });
});

test.each<[Partial<Query>, number]>([
  [{ status: 'verified' }, 2],
  [{ status: 'failed' }, 1],
  [{ status: 'expired' }, 1],
  [{ status: 'sent' }, 0],
  [{ carrier: 'sandbox' }, 2],
  [{ carrier: 'twilio' }, 0],
  [{ status: 'verified', channel: 'sms' }, 1],
  [{ status: 'verified', country: 'US' }, 1],
  [{ search: 'example', status: 'verified' }, 1],
])('figures count the rows of the list with the filter %j', async (query, sent) => {
  const bearer = await signedIn(service, alice);
  const list = await service.call(listVerifications, { bearer, query: { ...query, created_after: '1' } });
  expect(list.body.count).toBe(sent);
  expect((await figures({ ...query, range: '24h' })).totals.sent).toBe(sent);
});

test('without a search, status or carrier, figures equal Insights', async () => {
  await toMiddleOfMinute();
  const bearer = await signedIn(service, alice);
  for (const query of [
    { range: '24h' },
    // Insights sums the hours of UTC, so it rounds the days of zones with half hours.
    { range: '7d', time_zone: 'Asia/Tokyo' },
    { range: '1h' },
  ] as const) {
    const insights = (await service.call(getInsights, { bearer, query })).body;
    const found = await figures(query);
    expect(insights).toMatchObject({
      totals: found.totals,
      before: found.before,
      series: found.series,
      interval: found.interval,
    });
  }
});

test('figures do not count test sends, and count own codes apart, except for their credits', async () => {
  const olga = await sender(service, 'Olga', { credits: 10, keys: 1 });
  const { db } = service.app;
  const keysOfOlga = (set: string) =>
    db.run(`update api_keys set ${set} where account_id = $1`, [olga.account_id]);
  await keysOfOlga("scopes = scopes || '{otp:own_code}'::text[]");
  await olga.sent('own@example.com', { code: '7001' });
  await olga.sent('own@example.com');
  await service.drain();
  const bearer = await signedIn(service, olga);
  const made = await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } });
  const body = { channel: 'email', recipient: 'own@example.com' } as const;
  expect((await service.call(sendOtp, { apiKey: made.body.key, body })).status).toBe(201);
  expect((await figures({ search: 'own@' }, olga)).totals).toMatchObject({
    sent: 1,
    own_codes: 1,
    own_failed: 0,
    credits: 2,
  });
});

test('figures that cannot read every send say from when on they count, and compare nothing', async () => {
  const query = {
    ...getVerificationFigures.query.parse({ range: '24h', search: 'example' }),
    reader: { role: 'owner' },
  } as const;
  const read = (most: number) => verificationFiguresOf(service.app, alice.account_id, query, most);
  const whole = await read(6);
  expect(whole).toMatchObject({ totals: { sent: 3 }, before: { sent: 1 } });
  expect(whole.counted_from).toBe(whole.from);
  const withoutBefore = await read(5);
  expect(withoutBefore).toMatchObject({ totals: { sent: 3 }, before: null });
  const partial = await read(2);
  expect(partial).toMatchObject({ totals: { sent: 1, failed: 1 }, before: null });
  expect(Date.parse(partial.counted_from)).toBeGreaterThan(Date.parse(partial.from));
});

test('figures read only a limited number of rows, whatever the filter', async () => {
  const mia = await service.customer('Mia');
  const { app } = service;
  await app.db.run(
    `insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length,
       created_at, expires_at)
     select $1, uuid_floor(at), $2, 'email', 'user' || n || '@many.test', 'verified', 1, 6, at, at
     from (select n, clock_now() - make_interval(secs => n) as at from generate_series(1, 3000) n) r`,
    [mia.account_id, mia.api_key_id],
  );
  await app.db.pool.query('vacuum analyze verifications');
  const query = {
    ...getVerificationFigures.query.parse({ range: '90d', search: 'user2999@' }),
    reader: { role: 'owner' },
  } as const;
  await app.db.transaction(async (tx) => {
    // As in a large month of which the planner expects to need much.
    await tx.run('set local random_page_cost = 1000');
    const inside = {
      ...app,
      db: { ...tx, transaction: (work: (tx: Tx) => unknown) => work(tx) } as unknown as Db,
    };
    const read = await rowsReadBy(tx, () => verificationFiguresOf(inside, mia.account_id, query, 500));
    const rows = [...read].filter(([table]) => table.startsWith('verifications'));
    expect(rows.reduce((sum, [, n]) => sum + n, 0)).toBeLessThan(520);
  });
});

test('figures show nothing of another account', async () => {
  const bob = await service.customer('Bob');
  expect((await figures({ search: 'ann@' }, bob)).totals.sent).toBe(0);
});

test.each([
  ['an unknown status', { status: 'lost' }, 'status'],
  ['only one end', { from: '2026-01-01T00:00:00Z' }, 'to'],
  ['a search of 201 characters', { search: 'x'.repeat(201) }, 'search'],
  ['an unknown country', { country: 'ZZ' }, 'country'],
])('figures with %s are refused with a sentence at the field', async (_what, query, field) => {
  const bearer = await signedIn(service, alice);
  const { status, body } = await service.call(getVerificationFigures, { bearer, query: query as never });
  expect(status).toBe(400);
  expect(Object.keys(body)).toContain(field);
});

test('a send in the first minutes of a period is in the list if and only if it is in the figures', async () => {
  await toMiddleOfMinute();
  const edna = await sender(service, 'Edna', { credits: 10, keys: 1 });
  for (let minute = 0; minute < 6; minute += 1) {
    await edna.sent(`minute${minute}@example.com`);
    await service.clock.advance(MINUTE_MS);
  }
  await service.drain();
  await service.clock.advance(DAY_MS - 6 * MINUTE_MS);
  const counts: (number | null)[] = [];
  for (let minute = 0; minute < 6; minute += 1) {
    const bearer = await signedIn(service, edna);
    const list = await service.call(listVerifications, { bearer, query: { created_after: '1' } });
    const insights = await service.call(getInsights, { bearer, query: { range: '24h' } });
    expect(insights.body.totals.sent).toBe(list.body.count);
    expect((await figures({ range: '24h' }, edna)).totals.sent).toBe(list.body.count);
    counts.push(list.body.count);
    await service.clock.advance(MINUTE_MS);
  }
  expect(new Set(counts).size).toBeGreaterThan(1);
});
