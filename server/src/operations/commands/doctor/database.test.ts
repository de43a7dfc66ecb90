import { sendOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { emptyDatabase, testDatabase } from '../../../../test/database.ts';
import { runSql } from '../../../../test/database-url.ts';
import { doctorRuns, NOWHERE } from '../../../../test/doctor.ts';
import { startPooler } from '../../../../test/fakes/pooler.ts';
import { fixture } from '../../../../test/fixture.ts';
import { testService } from '../../../../test/service.ts';
import { startWork } from '../../../platform/queue/work.ts';
import { lockSetting, storeSetting } from '../../../settings/live-settings/live-settings.ts';
import { clockFinding, diskSpaceOf } from './database.ts';
import { capacityFindings, durabilityFindings, type ServerFacts } from './server-settings.ts';

const { found } = doctorRuns();

const service = fixture(testService);
const about = (what: string, env: Record<string, string> = {}) =>
  found(what, { DATABASE_URL: service.databaseUrl, ...env });

test('the doctor reports a healthy database as ok', async () => {
  const lines = await about('database');
  expect(lines[0]).toMatch(/^(ok|warning): PostgreSQL \d+ responds in \d/);
  expect(lines).toContain('ok: Its migrations are up to date.');
  expect((await about('clock'))[0]).toMatch(/^ok: This machine's clock is \d\.\d\d s/);
  expect(await about('secret key')).toEqual([]);
});

test('the doctor reports a wrong database name and an empty database', async () => {
  const wrong = new URL(service.databaseUrl);
  wrong.pathname = '/no_such_database';
  expect(await found('database', { DATABASE_URL: wrong.href })).toEqual([
    'problem: It cannot be used: database "no_such_database" does not exist. → Create the database, or name the right one in DATABASE_URL.',
  ]);
  await using empty = await emptyDatabase();
  expect((await found('database', { DATABASE_URL: empty.url })).join()).toContain('warning: It is empty.');
});

test('the doctor reports a missing migration and a migration of a newer version', async () => {
  await using database = await testDatabase();
  const last = `(select max(name) from schema_migrations)`;
  await runSql(database.url, `update schema_migrations set name = '9999_newer.sql' where name = ${last}`);
  expect((await found('database', { DATABASE_URL: database.url })).join()).toMatch(
    /problem: It is not up to date: \d{4}_\w+\.sql has not run\./,
  );
  await using other = await testDatabase();
  await runSql(other.url, `insert into schema_migrations (name, sha256) values ('9999_newer.sql', '')`);
  expect((await found('database', { DATABASE_URL: other.url })).join()).toContain(
    'warning: It was migrated by a newer version than this (9999_newer.sql).',
  );
});

test('the doctor reports settings that may lose acknowledged commits', async () => {
  const url = (setting: string) => `${service.databaseUrl}?options=${encodeURIComponent(`-c ${setting}`)}`;
  const lines = async (setting: string) =>
    (await found('database', { DATABASE_URL: url(setting) })).join('\n');
  expect(await lines('synchronous_commit=off')).toContain('problem: synchronous_commit is off');
  expect(await lines('synchronous_commit=local')).toContain('warning: synchronous_commit is local');
  expect(await lines('default_transaction_read_only=on')).toContain('problem: It accepts no writes');
  const facts: ServerFacts = {
    version: 18,
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    locks: 256,
    max_connections: 100,
    connections: 5,
    is_standby: false,
    read_only: 'off',
    synchronous_standbys: 0,
    standbys: 0,
  };
  const standbys = (synchronous_standbys: number, streaming: number) =>
    durabilityFindings({ ...facts, synchronous_standbys, standbys: streaming }).map(
      ({ level, says }) => `${level}: ${says}`,
    );
  expect(standbys(0, 0)).toEqual([
    'ok: Commits are durable on the disk of this server. There is no standby that confirms them.',
  ]);
  expect(standbys(1, 2)).toEqual(['ok: Commits are durable, and each waits for 1 standby.']);
  expect(standbys(0, 1).join()).toMatch(
    /^warning: Commits are durable on the disk of this server alone, although a standby streams/,
  );
  expect(
    durabilityFindings({ ...facts, fsync: 'off', full_page_writes: 'off' }).map(({ says }) => says),
  ).toEqual([
    'fsync is off: a power failure may corrupt the whole database.',
    'full_page_writes is off: a power failure may corrupt the whole database.',
  ]);
  expect(
    capacityFindings({ ...facts, locks: 64, connections: 90 }).map(({ level, says }) => `${level}: ${says}`),
  ).toEqual([
    'warning: max_locks_per_transaction is 64: a batch locks each of its recipients, and large ones may not fit.',
    'warning: 90 of 100 connections are in use; each process of the service may take 20.',
  ]);
});

test('the doctor reports a disk that is filling up', () => {
  expect(diskSpaceOf(5e9, 50e9)).toMatchObject({
    level: 'ok',
    says: '5.00 GB are used, 50 GB of its disk are free.',
  });
  expect([diskSpaceOf(5e9, 1e9).level, diskSpaceOf(5e9, 1e8).level]).toEqual(['warning', 'problem']);
});

test('the doctor reports a pooler, with and without a direct connection for migrations', async () => {
  await using pooler = await startPooler(service.databaseUrl);
  const lines = async (env: Record<string, string>) => (await found('database', env)).join('\n');
  expect(await lines({ DATABASE_URL: pooler.url })).toContain(
    'ok: The connection goes through a pooler such as PgBouncer',
  );
  expect(await lines({ DATABASE_URL: pooler.url, MIGRATE_DATABASE_URL: service.databaseUrl })).toContain(
    'ok: Migrations have a direct connection.',
  );
  expect(await lines({ DATABASE_URL: pooler.url, MIGRATE_DATABASE_URL: pooler.url })).toContain(
    'warning: MIGRATE_DATABASE_URL also goes through a pooler.',
  );
  expect(await lines({ DATABASE_URL: pooler.url, MIGRATE_DATABASE_URL: NOWHERE })).toContain(
    'problem: MIGRATE_DATABASE_URL cannot be used: the connection was refused.',
  );
});

test('the doctor reports a database written under another server key', async () => {
  await using database = await testDatabase();
  await runSql(database.url, `insert into service_facts (name, value) values ('secret_key_id', 'deadbeef')`);
  expect((await found('secret key', { DATABASE_URL: database.url })).join()).toContain(
    'problem: This database was written under another SECRET_KEY.',
  );
});

test('the doctor reports clock skew between the machine and the database', async () => {
  const behind = { now: () => new Date(Date.now() - 90_000) };
  const [line] = await found('clock', { DATABASE_URL: service.databaseUrl }, behind);
  expect(line).toMatch(/^problem: This machine's clock is (89|90) s behind the database's\./);
  expect([clockFinding(3_000).level, clockFinding(-100).level]).toEqual(['warning', 'ok']);
});

test('the doctor prints both values of a setting that an operator has changed', async () => {
  await service.app.db.transaction(async (tx) => {
    await lockSetting(tx, 'WELCOME_CREDITS');
    const change = { name: 'WELCOME_CREDITS', value: '40', operator_id: null };
    await storeSetting(tx, { id: service.app.random.uuid(), ...change });
  });
  const lines = await found('settings', { DATABASE_URL: service.databaseUrl, WELCOME_CREDITS: '7' });
  expect(lines.at(-1)).toMatch(
    /^ok: WELCOME_CREDITS is 40, as an operator set it on \d{4}-\d{2}-\d{2}; the environment has 7\.$/,
  );
});

test('the doctor reports messages that wait without a worker', async () => {
  expect((await about('workers'))[0]).toMatch(/^warning: No worker is alive/);
  const alice = await service.customer('Alice');
  await service.call(sendOtp, {
    apiKey: alice.api_key,
    body: { channel: 'sms', recipient: '+14155550123' },
  });
  const age = (seconds: number) =>
    service.app.db.run('update deliveries set run_at = clock_now() - make_interval(secs => $1)', [seconds]);
  await age(60);
  expect((await about('workers'))[0]).toMatch(/^problem: No worker is alive, and 1 messages wait\./);
  expect((await about('queue'))[0]).toMatch(/^warning: The oldest due message has waited 6\d s\./);
  await age(600);
  expect((await about('queue'))[0]).toMatch(/^problem: The oldest due message has waited 60\d s\./);
  const working = await startWork(service.app, [], 'test');
  expect(await about('workers')).toEqual(['ok: 1 is alive.']);
  await working.stop();
  await service.drain();
  expect((await about('queue'))[0]).toMatch(/^ok:/);
});
