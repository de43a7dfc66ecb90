import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { type KeyRotation, keyRotation } from '../src/platform/security/key-rotation.ts';
import { rememberKey } from '../src/platform/security/secret-key.ts';
import { createVault } from '../src/platform/security/vault.ts';
import { type AnotherProcess, anotherProcess } from './another-process.ts';
import { fixture } from './fixture.ts';
import { TEST_KEY_COST, testService } from './service.ts';
import { testWorker } from './worker.ts';

/** Processes are restarted with a new SECRET_KEY one by one, in any order, while callers use all of them. */
const OLD = 'the key that is to be replaced';
const NEW = 'the key that takes its place';

const service = fixture(() => testService({ env: { SECRET_KEY: OLD, RECIPIENT_SENDS_PER_DAY: '50' } }));
const alice = fixture(() => service.customer('Alice', { credits: 10_000 }));

type Process = AnotherProcess & { rotation: KeyRotation };

async function start(key: string, ...previous: string[]): Promise<Process> {
  const { db, random } = service.app;
  const vault = createVault(key, previous, random, TEST_KEY_COST);
  await rememberKey(db, vault);
  const process = await anotherProcess(service, vault);
  const rotation = keyRotation(process.app);
  await rotation.round();
  return Object.assign(process, { rotation });
}

/** Eleven seconds pass. Processes that do no rounds meanwhile then count as gone. */
const age = (areAway: boolean) =>
  service.app.db.run(
    `update server_key_holders set since = since - interval '11 s',
       seen_at = seen_at - case when $1 then interval '11 s' else interval '0' end`,
    [areAway],
  );

const rounds = async (...processes: Process[]) => {
  for (const { rotation } of processes) await rotation.round();
};

let sent = 0;
const nextNumber = () => {
  sent += 1;
  return `+1415555${String(sent).padStart(4, '0')}`;
};
const send = ({ call }: AnotherProcess, recipient: string, apiKey = alice.api_key) =>
  call(sendOtp, { apiKey, body: { channel: 'sms', recipient } });
const verify = ({ call }: AnotherProcess, otp_id: string, code: string, apiKey = alice.api_key) =>
  call(verifyOtp, { apiKey, body: { otp_id, code } });
const codeOf = async (recipient: string) => (await service.inbox(recipient))[0]?.code ?? '';

async function deliverWith({ jobs, app }: AnotherProcess): Promise<void> {
  const deliveries = jobs.find(({ name }) => name === 'deliveries');
  while (await deliveries?.run(testWorker(app.random.uuid())));
  await deliveries?.idle?.();
}

/** Sends through each process, dispatches and verifies through the others, and expects that every step succeeds. */
async function load(...processes: readonly Process[]): Promise<void> {
  const { key: apiKey } = await service.anotherKey(alice.account_id);
  const begun = await Promise.all(
    processes.flatMap((process, n) =>
      Array.from({ length: 5 }, async () => {
        const recipient = nextNumber();
        const { status, body } = await send(process, recipient, apiKey);
        expect(status).toBe(201);
        return { recipient, otp_id: body.otp_id, at: processes[(n + 1) % processes.length] as Process };
      }),
    ),
  );
  await Promise.all(processes.map(deliverWith));
  const statuses = await Promise.all(
    begun.map(
      async ({ recipient, otp_id, at }) => (await verify(at, otp_id, await codeOf(recipient), apiKey)).status,
    ),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
}

test('a key rotation under load refuses no right code and delays no message, whatever the order of restarts', async () => {
  await using first = await start(OLD);
  await using second = await start(OLD);
  await load(first, second);
  // Only one process has the new key. It writes under the old one, however long that lasts.
  await using restarted = await start(NEW, OLD);
  await age(false);
  await rounds(first, second, restarted);
  await load(first, second, restarted);
  expect(restarted.app.vault.lacksKey).toBeUndefined();

  await first.rotation.stop();
  await second.rotation.stop();
  await using last = await start(NEW, OLD);
  await age(false);
  await Promise.all([load(restarted, last), rounds(restarted, last).then(() => load(restarted, last))]);
  expect(await namedKey()).toBe(restarted.app.vault.keyId);
});

const namedKey = async () =>
  (
    await service.app.db.one<{ value: string }>(
      `select value from service_facts where name = 'secret_key_id'`,
    )
  ).value;

test('a process without the new key counts no try, claims no message and reports that it is not ready', async () => {
  await service.app.db.run(`delete from service_facts where name = 'secret_key_id'`);
  await service.app.db.run('delete from server_key_holders');
  // These three were away while the others changed the key, and do not know it yet.
  await using verifying = await start(OLD);
  await using working = await start(OLD);
  await using stale = await start(OLD);
  await age(true);
  await using current = await start(NEW, OLD);
  await age(true);
  await current.rotation.round();
  expect(await namedKey()).toBe(current.app.vault.keyId);

  const recipient = nextNumber();
  const { body } = await send(current, recipient);
  await deliverWith(working);
  expect(await codeOf(recipient)).toBe('');
  await service.clock.advance(1_000);
  await deliverWith(current);
  const code = await codeOf(recipient);
  expect(code).toMatch(/^\d{6}$/);

  for (let n = 0; n < 6; n += 1)
    expect(await verify(verifying, body.otp_id, code)).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.any(String) },
      body: { reason: 'unavailable' },
    });
  expect((await send(stale, recipient)).status).toBe(503);
  expect((await verify(current, body.otp_id, code)).status).toBe(200);

  await stale.rotation.round();
  expect(await stale.inject({ method: 'GET', url: '/config.json' })).toMatchObject({ statusCode: 503 });
  const ready = await stale.inject({ method: 'GET', url: '/readyz' });
  expect([ready.statusCode, ready.json().checks.server_key]).toEqual([503, 'failed']);
  expect((await stale.inject({ method: 'GET', url: '/healthz' })).statusCode).toBe(200);
  expect(service.logLines.filter((line) => line.includes('SECRET_KEY to that key'))).toHaveLength(1);
});

test('two processes with each other’s key as the previous one never exchange the key', async () => {
  await using one = await start(OLD, NEW);
  await using two = await start(NEW, OLD);
  const before = await namedKey();
  for (let n = 0; n < 3; n += 1) {
    await age(false);
    await rounds(one, two);
  }
  expect(await namedKey()).toBe(before);
});
