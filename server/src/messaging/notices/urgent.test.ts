import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { rolledBack } from '../../../test/rolled-back.ts';
import { noticeJobs } from './jobs.ts';
import { postNotice } from './notices.ts';
import { CLAIM } from './queries.ts';

/** Sign-in codes and reset links must not wait for notices to the members of big accounts. */

const service = fixture(() => serviceWithCarriers(['http'], { EMAIL_CARRIERS: 'http' }));

const inSeconds = (seconds: number) =>
  new Date(service.app.clock.now().getTime() + seconds * 1_000).toISOString();
const postNews = (recipient: string) =>
  service.app.db.transaction((tx) =>
    postNotice(tx, service.app, { channel: 'email', recipient, contents: { kind: 'passwordChanged' } }),
  );
const postCode = (recipient: string) =>
  service.app.db.transaction((tx) =>
    postNotice(tx, service.app, {
      channel: 'email',
      recipient,
      code: '314159',
      contents: { kind: 'signInCode', expiresInSeconds: 300 },
      expires_at: inSeconds(300),
    }),
  );
const postLink = (recipient: string) =>
  service.app.db.transaction((tx) =>
    postNotice(tx, service.app, {
      channel: 'email',
      recipient,
      contents: {
        kind: 'passwordReset',
        expiresInSeconds: 300,
        resetUrl: 'https://otp.example.com/reset-password#a',
        linkExpiresInSeconds: 1_800,
      },
      expires_at: inSeconds(1_800),
    }),
  );

test('a sign-in code and a reset link are sent before 500 notices that were posted earlier', async () => {
  for (let n = 0; n < 500; n += 1) await postNews(`member+${n}@people.test`);
  await postCode('code@people.test');
  await postLink('link@people.test');
  const [job] = noticeJobs(service.app);
  while (await job?.run(service.worker)) await job?.idle?.();
  await job?.idle?.();
  const arrived = service.http.messages.map(({ recipient }) => recipient);
  expect(arrived).toHaveLength(502);
  // At most one round of notices is in flight at the same time.
  expect(arrived.indexOf('code@people.test')).toBeLessThan(10);
  expect(arrived.indexOf('link@people.test')).toBeLessThan(10);
});

test('a sign-in code is sent while notices fill their places and their carrier is slow', async () => {
  for (let n = 0; n < 40; n += 1) await postNews(`slow+${n}@people.test`);
  service.http.clear();
  const [job] = noticeJobs(service.app);
  expect(await job?.run(service.worker)).toBe(true);
  expect(await job?.run(service.worker)).toBe(false);
  await postCode('prompt@people.test');
  await job?.run(service.worker);
  await job?.idle?.();
  const arrived = service.http.messages.map(({ recipient }) => recipient);
  expect(arrived.length).toBeLessThan(40);
  expect(arrived).toContain('prompt@people.test');
});

/** The pages that one claim of each kind reads, in a transaction that is rolled back. */
async function pagesRead(): Promise<number> {
  const measure = (): Promise<number> =>
    rolledBack(service.app.db, async (tx) => {
      const { 'QUERY PLAN': plans } = await tx.one<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
        `explain (analyze, buffers, format json) ${CLAIM}`,
        [service.worker.id, service.app.random.uuid(), 8, 8],
      );
      const plan = plans[0]?.Plan ?? {};
      return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    });
  // The first run of a session also reads the catalog.
  await measure();
  return await measure();
}

test.each([
  ['ordinary notices are due', '1 day', '-1 second'],
  ['ordinary notices wait for their next try', '1 day', '5 minutes'],
  ['codes are due', '5 minutes', '-1 second'],
])('a claim reads only the notices that it takes while 100,000 %s', async (_, life, due) => {
  const { db, random } = service.app;
  await db.run('truncate notices');
  await db.run(
    `insert into notices (id, channel, sealed, created_at, run_at, expires_at, worker_id)
     select gen_random_uuid(), 'email', 'sealed', clock_now(), clock_now() + $1::interval, clock_now() + $2::interval, $3
     from generate_series(1, 100000)`,
    [due, life, random.uuid()],
  );
  // Statistics from before the outage, when every notice was in flight.
  await db.run('analyze notices');
  await db.run('update notices set worker_id = null');
  expect(await pagesRead()).toBeLessThan(300);
});
