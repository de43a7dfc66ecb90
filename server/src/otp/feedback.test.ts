import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import {
  createCarrierSetup,
  listCarrierSetups,
  updateCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { resendOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { TEST_CODE } from '@sixdigit/contract/test-mode.ts';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { COMPANIES } from '../../test/fakes/companies/companies.ts';
import { type CompanyFake, startCompany } from '../../test/fakes/companies/company.ts';
import type { Company } from '../../test/fakes/companies/wire.ts';
import type { Reply } from '../../test/fakes/http-listener.ts';
import { fixture } from '../../test/fixture.ts';
import { holdLock } from '../../test/held-lock.ts';
import { testOperator } from '../../test/operator.ts';
import { sender, wrongCode } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';
import { testWorker } from '../../test/worker.ts';
import { allJobs } from '../app.ts';
import type { Job } from '../platform/queue/job.ts';
import { releaseClaimsOfDeadWorkers } from '../platform/queue/work.ts';
import { deleteSendsOf, eraseRecipientFromSends } from './otp.ts';

/** Right codes of a carrier whose company is told about them, from the verify to the request. */
const telegram = COMPANIES.find(({ kind }) => kind === 'telegram') as Company;
const told: { request_id: string; code: string }[] = [];
/** Overrides the response to feedback. */
let reply: (() => Reply | Promise<Reply>) | undefined;
const company: Company = {
  ...telegram,
  about(request) {
    const answer = telegram.about?.(request);
    if (answer) told.push(JSON.parse(request.text) as (typeof told)[number]);
    return answer && (reply?.() ?? answer);
  },
};

const service = fixture(() =>
  serviceWithCarriers(['smtp', 'http'], { EMAIL_CARRIERS: 'smtp', SMS_CARRIERS: 'http' }),
);
const other = fixture(() => anotherProcess(service));
const olivia = fixture(() => testOperator(service));
const alice = fixture(() => sender(service, 'Alice', { credits: 5_000, keys: 40 }));
const fake: CompanyFake = fixture(() => startCompany(company, () => service.app.clock.now()));
const scripts: string[] = [];
let count = 0;
const phone = () => `+1415555${2_000 + ++count}`;

beforeAll(async () => {
  const setup = {
    name: 'telegram-1',
    kind: 'telegram',
    channels: ['telegram'],
    api_url: fake.url,
    ...telegram.fields,
  };
  const body = { ...setup, reason: 'Set up' } as Given<typeof createCarrierSetup, 'body'>;
  expect(await olivia.call(createCarrierSetup, { body })).toMatchObject({ status: 201 });
  const { db } = service.app;
  const { connection } = db;
  db.connection = async () => {
    const real = await connection();
    return {
      ...real,
      script(text) {
        scripts.push(text);
        return real.script(text);
      },
    };
  };
});
async function turn(feedback: '' | 'verified') {
  const { version = 0 } =
    (await olivia.call(listCarrierSetups)).body.setups.find(({ name }) => name === 'telegram-1') ?? {};
  const body = {
    channels: ['telegram' as const],
    is_enabled: true,
    api_url: fake.url,
    feedback,
    version,
    reason: 'Try',
  };
  const answer = await olivia.call(updateCarrierSetup, { params: { name: 'telegram-1' }, body });
  expect(answer).toMatchObject({ status: 200 });
  await other.app.live.refresh();
}
beforeEach(async () => {
  reply = undefined;
  await turn('verified');
  await service.app.db.run('delete from feedback');
  await service.drain();
  await service.clock.advance(60_000);
  told.length = 0;
});

async function sent(more: object = {}) {
  const recipient = phone();
  const otp_id = await alice.sent(recipient, { channel: 'telegram', ...more });
  await service.deliver();
  const message = fake.messageTo(recipient);
  return { recipient, otp_id, message, code: message.text };
}
async function verified() {
  const one = await sent();
  expect((await alice.verify(one.otp_id, one.code)).status).toBe(200);
  return one;
}
const rows = () =>
  service.app.db.rows<{ otp_id: string; row: string; tries: number }>(
    'select otp_id, tries, f::text as row from feedback f order by created_at',
  );
const jobOf = (jobs: readonly Job[]) => jobs.find(({ name }) => name === 'feedback') as Job;
async function work(job: Job, id: string) {
  while (await job.run(testWorker(id)));
  await job.idle?.();
}
const counted = async (outcome: string) => {
  const { text } = await service.app.metrics.scrape(service.app.db);
  const line = new RegExp(
    `^sixdigit_feedback_total\\{carrier="telegram-1",outcome="${outcome}"\\} (\\d+)`,
    'm',
  );
  return Number(line.exec(text)?.[1] ?? 0);
};

test('the company gets the right code of a live message once, and no wrong code', async () => {
  const { otp_id, message, code } = await sent();
  await alice.verify(otp_id, wrongCode(code));
  expect(await rows()).toEqual([]);
  await alice.verify(otp_id, code);
  await alice.verify(otp_id, code);
  const [row] = await rows();
  expect(row).toMatchObject({ otp_id, tries: 0 });
  expect(row?.row).not.toContain(code);
  expect(row?.row).not.toContain(Buffer.from(code).toString('hex'));
  await service.drain();
  expect(told).toEqual([{ request_id: message.id, code }]);
  expect([await rows(), await counted('given')]).toEqual([[], 1]);
});

test('with feedback on, a verify makes one more statement in the same round trip, and otherwise none', async () => {
  const statements = async () => {
    const { otp_id, code } = await sent();
    scripts.length = 0;
    expect((await alice.verify(otp_id, code)).status).toBe(200);
    return scripts.map((text) => [...text.matchAll(/(?:^|; )([A-Z]+ ?[a-z_]*)/g)].map(([, name]) => name));
  };
  await turn('');
  const off = [
    ['BEGIN', 'SELECT lock_verifies'],
    ['SELECT write_verifies', 'COMMIT'],
  ];
  expect(await statements()).toEqual(off);
  expect(await rows()).toEqual([]);
  await turn('verified');
  expect(await statements()).toEqual([off[0], ['SELECT write_verifies', 'SELECT note_feedback', 'COMMIT']]);
});

test('codes of tests, of other carriers and of sibling verifications queue no feedback', async () => {
  const bearer = await signedIn(service, alice);
  const { key } = (await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } })).body;
  const body = { recipient: '+15005550001', channel: 'telegram' as const };
  const { otp_id } = (await service.call(sendOtp, { apiKey: key, body })).body;
  await service.drain();
  const tried = { otp_id, code: TEST_CODE.slice(0, 6) };
  expect((await service.call(verifyOtp, { apiKey: key, body: tried })).status).toBe(200);
  const recipient = phone();
  const sms = await alice.sent(recipient);
  await service.deliver();
  const code = service.http.messagesTo(recipient)[0]?.code ?? '';
  expect((await alice.verify(sms, code)).status).toBe(200);
  const first = await sent({ expires_in: 1_800 });
  // A send after ten minutes has a code of its own.
  await service.clock.advance(601_000);
  const later = await alice.sent(first.recipient, { channel: 'telegram' });
  await service.deliver();
  expect((await alice.verify(later, first.code)).status).toBe(200);
  expect(await rows()).toEqual([]);
  const noted = (channel: string) =>
    service.app.db.one('select note_feedback($1, $2) as n', [
      JSON.stringify([{ account_id: alice.account_id, id: first.otp_id }]),
      JSON.stringify([{ name: 'telegram-1', channel, needs_code: false }]),
    ]);
  // The carrier gives feedback on another channel only.
  expect([await noted('sms'), await noted('telegram')]).toEqual([{ n: 0 }, { n: 1 }]);
});

test('feedback is about the message with the code that was delivered, or else about the last one', async () => {
  const both = async (isReported: boolean) => {
    const one = await sent();
    await service.clock.advance(60_000);
    const body = { channel: 'sms' as const };
    const resent = await service.call(resendOtp, {
      apiKey: alice.key(),
      params: { otp_id: one.otp_id },
      body,
    });
    expect(resent.status).toBe(resendOtp.status);
    await service.deliver();
    const { url, headers, body: payload } = fake.report(one.message, 'delivered');
    const report = { method: 'POST' as const, url: url.replace(/^https?:\/\/[^/]+/, ''), headers, payload };
    if (isReported) expect((await service.inject(report)).statusCode).toBe(204);
    expect((await alice.verify(one.otp_id, one.code)).status).toBe(200);
    await service.drain();
    return { one, report };
  };
  await both(false);
  expect(told).toEqual([]);
  const { one } = await both(true);
  expect(told).toEqual([{ request_id: one.message.id, code: one.code }]);
});

test('a delivery report after the verify adds no feedback, also if the carrier’s response was lost', async () => {
  const report = async (message: Parameters<CompanyFake['report']>[0]) => {
    const { url, headers, body } = fake.report(message, 'delivered');
    const path = url.replace(/^https?:\/\/[^/]+/, '');
    return (await service.inject({ method: 'POST', url: path, headers, payload: body })).statusCode;
  };
  const { message } = await verified();
  await service.drain();
  expect(await report(message)).toBe(204);
  fake.answer = () => 'reset';
  const lost = await verified();
  fake.answer = undefined;
  expect(await report(lost.message)).toBe(204);
  await service.drain();
  expect(told.map(({ request_id }) => request_id)).toEqual([message.id]);
});

test('a company that does not respond delays no verify and no message', async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  reply = () => promise;
  const job = jobOf(other.jobs);
  for (let n = 0; n < 3; n += 1) await verified();
  await job.run(testWorker(service.app.random.uuid()));
  await expect.poll(() => told).toHaveLength(3);
  await verified();
  expect(await rows()).toHaveLength(4);
  resolve({ status: 500, body: {} });
  await job.idle?.();
});

test('feedback that fails is tried four times within minutes and then dropped and counted', async () => {
  const before = await counted('dropped');
  reply = () => ({ status: 503, body: {} });
  await verified();
  for (let n = 0; n < 8; n += 1) {
    await service.drain();
    await service.clock.advance(60_000);
  }
  expect(told).toHaveLength(4);
  expect([await rows(), (await counted('dropped')) - before]).toEqual([[], 1]);
});

test('the rows of an outage are claimed four times each, also while the company rests', async () => {
  reply = () => ({ status: 503, body: {} });
  for (let n = 0; n < 8; n += 1) await verified();
  const claims = vi.spyOn(service.app.db, 'rows');
  for (let n = 0; n < 8; n += 1) {
    await service.drain();
    await service.clock.advance(60_000);
  }
  const ofFeedback = claims.mock.results.filter((_, n) =>
    claims.mock.calls[n]?.[0].startsWith('update feedback'),
  );
  const claimed = (await Promise.all(ofFeedback.map(({ value }) => value as Promise<unknown[]>))).flat();
  claims.mockRestore();
  expect(claimed).toHaveLength(32);
  expect(await rows()).toEqual([]);
});

test('two workers give each feedback once, and that of a killed one is given by the other', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 24; n += 1) ids.push((await verified()).message.id);
  const { db, random } = service.app;
  const dead = random.uuid();
  await db.run(
    `insert into workers (id, name, started_at, seen_at)
     values ($1, 'killed', clock_timestamp() - interval '9 s', clock_timestamp() - interval '9 s')`,
    [dead],
  );
  // It was killed before it made a request.
  await db.run(
    `update feedback set worker_id = $1, claim = $2 where otp_id = any (array(select otp_id from feedback limit 4))`,
    [dead, random.uuid()],
  );
  const mine = jobOf(other.jobs);
  const job = jobOf(allJobs(service.app));
  await Promise.all([work(mine, random.uuid()), work(job, random.uuid())]);
  expect(told).toHaveLength(20);
  await releaseClaimsOfDeadWorkers(service.app, other.jobs);
  await Promise.all([work(mine, random.uuid()), work(job, random.uuid())]);
  expect(told.map(({ request_id }) => request_id).toSorted()).toEqual(ids.toSorted());
  expect(await rows()).toEqual([]);
});

test('a worker skips feedback whose row another one holds', async () => {
  const [held, free] = [await verified(), await verified()];
  const row = 'select from feedback where otp_id = $1 for update';
  await using _claim = await holdLock(service, row, [held.otp_id]);
  await work(jobOf(other.jobs), service.app.random.uuid());
  expect(told.map(({ code }) => code)).toEqual([free.code]);
});

test('a worker that lost its claim does not end the claim of another', async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  reply = () => promise;
  await verified();
  const job = jobOf(other.jobs);
  await job.run(testWorker(service.app.random.uuid()));
  await expect.poll(() => told).toHaveLength(1);
  await service.app.db.run('update feedback set claim = $1', [service.app.random.uuid()]);
  resolve({ status: 200, body: { ok: true, result: { request_id: told[0]?.request_id } } });
  await job.idle?.();
  expect(await rows()).toHaveLength(1);
});

test('erasing the recipient, deleting the account, or ten minutes remove waiting feedback', async () => {
  const { db } = service.app;
  const all = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const;
  const { recipient } = await verified();
  const forms = { recipient, digits: [recipient.slice(1)], hashes: [], known_hashes: [] };
  await eraseRecipientFromSends(db, forms, [...all]);
  expect(await rows()).toEqual([]);
  await verified();
  await turn('');
  await service.drain();
  expect(await rows()).toHaveLength(1);
  await service.clock.advance(11 * 60_000);
  await service.drain({ keepHouse: true });
  expect(await rows()).toEqual([]);
  await turn('verified');
  await verified();
  while ((await deleteSendsOf(db, { account_id: alice.account_id, most: 100 })) > 0);
  expect(await rows()).toEqual([]);
});
