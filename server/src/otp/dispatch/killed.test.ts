import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ServiceWithCarriers, serviceWithCarriers } from '../../../test/carriers.ts';
import { type Program, startProgram } from '../../../test/program.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { TEST_SECRET_KEY } from '../../../test/service.ts';
import { SERVICE_KEY_COST } from '../../platform/security/vault.ts';

/** Real processes on one database, killed and frozen while they have messages in flight. */
let service: ServiceWithCarriers;
let alice: Sender;
let programs: Program[];
let count = 0;
const TIMEOUT = 120_000;

beforeEach(async () => {
  service = await serviceWithCarriers(['http'], {}, { keyCost: SERVICE_KEY_COST });
  alice = await sender(service, 'Alice');
  programs = [];
});
afterEach(async () => {
  await Promise.all(programs.map((program) => program[Symbol.asyncDispose]()));
  await service[Symbol.asyncDispose]();
});

function start(task: 'api' | 'worker'): Program {
  const program = startProgram(task, {
    DATABASE_URL: service.databaseUrl,
    SECRET_KEY: TEST_SECRET_KEY,
    HTTP_CARRIER_URL: service.http.url,
    HTTP_CARRIER_SECRET: service.http.secret,
    PUBLIC_URL: task === 'worker' ? 'http://sixdigit.localhost' : '',
  });
  programs.push(program);
  return program;
}
const sendMany = (most: number) =>
  Promise.all(Array.from({ length: most }, () => alice.sent(`reader-${++count}@example.com`)));
/** Lets every lease run out. Live workers renew theirs within a second. */
const silence = () => service.app.db.run(`update workers set seen_at = seen_at - interval '5 seconds'`);
const statuses = async (ids: readonly string[]) =>
  new Set(
    (
      await service.app.db.rows<{ status: string }>('select status from verifications where id = any ($1)', [
        ids,
      ])
    ).map(({ status }) => status),
  );
const claimed = async () =>
  (
    await service.app.db.one<{ n: number }>(
      'select count(*) as n from deliveries where worker_id is not null',
    )
  ).n;
/**
 * Waits until the claims of dead workers are released, and ends the ten-second wait for a report. Returns how many messages
 * the carrier had got before that wait ended: a worker dispatches at once what the dead one had not begun.
 */
async function untilFreed(): Promise<number> {
  await vi.waitFor(async () => expect(await claimed()).toBe(0), { timeout: 40_000 });
  const seen = service.http.messages.length;
  await service.clock.advance(10_000);
  return seen;
}
const everythingSent = (ids: readonly string[]) =>
  vi.waitFor(async () => expect(await statuses(ids)).toEqual(new Set(['sent'])), {
    timeout: 40_000,
    interval: 50,
  });
const timesHanded = (id: string) => service.http.messages.filter((message) => message.id === id).length;

test('workers killed during a dispatch lose nothing, resend at most once each and charge one credit', {
  timeout: TIMEOUT,
}, async () => {
  service.http.everyone = 'hang';
  const ids = await sendMany(40);
  const before = await alice.balance();
  expect(before).toBe(60);
  for (let round = 1; round <= 2; round++) {
    const program = start('worker');
    // A new worker claims the orphaned messages and is killed with them in flight.
    const seen = round > 1 ? await untilFreed() : 0;
    await vi.waitFor(() => expect(service.http.messages.length).toBeGreaterThan(seen + 3), {
      timeout: 40_000,
    });
    program.signal('SIGKILL');
    await program[Symbol.asyncDispose]();
    expect(await statuses(ids)).toContain('pending');
    expect(await claimed()).toBeGreaterThan(0);
    await silence();
  }
  service.http.everyone = undefined;
  start('worker');
  await untilFreed();
  await everythingSent(ids);
  const codes = new Map(service.http.messages.map(({ id, code }) => [id, code]));
  for (const { id, code } of service.http.messages) expect(code).toBe(codes.get(id));
  for (const id of ids) {
    expect(timesHanded(id)).toBeGreaterThanOrEqual(1);
    expect(timesHanded(id)).toBeLessThanOrEqual(3);
    expect((await alice.history(id)).map(({ to }) => to)).toEqual(['pending', 'sent']);
  }
  expect(await alice.balance()).toBe(before);
  const [one = ''] = ids;
  expect((await alice.verify(one, codes.get(one))).status).toBe(200);
});

test('a frozen worker whose claims were taken over changes nothing when it resumes', {
  timeout: TIMEOUT,
}, async () => {
  const release = Promise.withResolvers<void>();
  service.http.everyone = 'slow';
  service.http.slowUntil = release.promise;
  const ids = await sendMany(10);
  const frozen = start('worker');
  await vi.waitFor(() => expect(service.http.messages).toHaveLength(10), { timeout: 40_000, interval: 5 });
  frozen.signal('SIGSTOP');
  release.resolve();
  expect(await statuses(ids)).toEqual(new Set(['pending']));
  await silence();
  service.http.everyone = undefined;
  start('worker');
  await untilFreed();
  await everythingSent(ids);
  const rows = () =>
    service.app.db.rows(
      `select v.id, v.status, v.provider_message_id, v.sent_at, (select count(*) from status_history h where h.otp_id = v.id) as changes
       from verifications v order by v.id`,
    );
  const before = await rows();
  frozen.signal('SIGCONT');
  // It reads the responses, finds that it lost its claims, and claims new messages.
  service.http.everyone = undefined;
  const more = await sendMany(1);
  await everythingSent(more);
  await vi.waitFor(
    async () => {
      const { alive } = await service.app.db.one<{ alive: number }>(
        `select count(*) as alive from workers where seen_at > clock_timestamp() - interval '2 seconds'`,
      );
      expect(alive).toBe(2);
    },
    { timeout: 10_000 },
  );
  expect((await rows()).slice(0, 10)).toEqual(before);
  for (const id of ids) {
    expect(timesHanded(id)).toBe(2);
    expect((await alice.history(id)).map(({ to }) => to)).toEqual(['pending', 'sent']);
  }
});

test('an API process killed right after its response loses nothing', { timeout: TIMEOUT }, async () => {
  const api = start('api');
  const url = await api.url();
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const answer = await fetch(`${url}/api/v1/otp/send/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': alice.key() },
        body: JSON.stringify({ channel: 'email', recipient: `reader-${n}@example.com` }),
      });
      if (answer.status === 201) api.signal('SIGKILL');
      return answer.status === 201 ? ((await answer.json()) as { otp_id: string }).otp_id : undefined;
    }).map((sent) => sent.catch(() => undefined)),
  );
  const answered = answers.filter((id) => id !== undefined);
  await api[Symbol.asyncDispose]();
  expect(answered.length).toBeGreaterThan(0);
  await service.drain();
  for (const id of answered) {
    expect(await alice.state(id)).toMatchObject({ status: 'sent' });
    expect(timesHanded(id)).toBe(1);
  }
  const { logged } = await service.app.db.one<{ logged: number }>(
    'select count(*) as logged from request_logs where otp_id = any ($1)',
    [answered],
  );
  expect(logged).toBe(answered.length);
  const { spent } = await service.app.db.one<{ spent: number }>(
    'select count(*) as spent from verifications',
  );
  expect(await alice.balance()).toBe(100 - spent);
});
