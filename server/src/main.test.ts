/** The whole program with its own database, as `npm start` runs it. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '../test/database.ts';
import { type RunningProgram, runProgram, stopProgram } from '../test/program.ts';
import { roomiestFolder } from '../test/roomiest-folder.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { readPidFile } from './platform/db/embedded-postmaster.ts';

let dataDir: string;
const started: RunningProgram[] = [];

/** The first test creates the database, the others find it. */
beforeAll(() => {
  dataDir = mkdtempSync(join(roomiestFolder(), 'main-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(stopProgram));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const timeout = 120_000;

function run(args: string[] = [], env: Record<string, string> = {}): RunningProgram {
  const program = runProgram(args, { DATA_DIR: dataDir, ...env });
  started.push(program);
  return program;
}

const database = () => readPidFile(join(dataDir, 'postgres'))?.pid;
const lives = (pid: number) =>
  execFileSync('sh', ['-c', `kill -0 ${pid} 2>/dev/null && echo yes || true`]).length > 0;

test('a first start becomes ready as a sandbox, and pressing Ctrl-C twice stops all of it in order', {
  timeout,
}, async () => {
  const service = run();
  // Passkeys work at localhost, not at 127.0.0.1, which scripts use.
  const url = await service.url();
  expect(url).toMatch(/^http:\/\/localhost:\d+$/);
  for (const address of [url, url.replace('localhost', '127.0.0.1')])
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
  expect(service.output()).toContain('Sandbox: sms, voice, email, whatsapp, telegram messages go to');
  const pid = database() ?? 0;
  service.child.kill('SIGINT');
  service.child.kill('SIGINT');
  expect(await service.exited).toBe(0);
  expect(lives(pid)).toBe(false);
});

/** Sends SIGTERM as soon as the program handles it, before its modules are loaded. */
const SIGNAL_EARLY = `data:text/javascript,
  process.on('newListener', (name) => {
    if (name === 'SIGTERM') queueMicrotask(() => process.kill(process.pid, 'SIGTERM'));
  });`;

test.each(['all', 'api', 'worker'])(
  'a signal right after the start of the "%s" process stops it before it starts anything',
  { timeout },
  async (task) => {
    const empty = mkdtempSync(join(roomiestFolder(), 'main-'));
    const program = runProgram([task], { DATA_DIR: empty }, ['--import', SIGNAL_EARLY]);
    started.push(program);
    expect(await program.exited).toBe(0);
    expect(program.output()).toBe('');
    expect(readdirSync(empty)).toEqual([]);
    rmSync(empty, { recursive: true });
  },
);

test('the entry point loads the service after it has begun to handle signals', () => {
  const text = readFileSync(join(import.meta.dirname, 'main.ts'), 'utf8');
  expect(text).not.toMatch(/^import /m);
  expect(text.indexOf('process.on(signal')).toBeLessThan(text.indexOf("await import('./start.ts')"));
});

test('a worker on a used port fails with a clear message', { timeout }, async () => {
  const service = run();
  const { port } = new URL(await service.url());
  const worker = run(['worker'], { WORKER_PORT: port });
  expect(await worker.exited).toBe(1);
  expect(worker.output()).toContain(
    `WORKER_PORT ${port} is in use on 127.0.0.1; set WORKER_PORT to a free one`,
  );
  await using other = await testDatabase();
  const second = run([], { PORT: port, DATABASE_URL: other.url, SECRET_KEY: TEST_SECRET_KEY });
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain(`PORT ${port} is in use on 127.0.0.1; set PORT to a free one`);
});

test('a service stops when the process that started it exits', { timeout }, async () => {
  const service = run();
  await service.url();
  service.child.disconnect();
  expect(await service.exited).toBe(0);
  expect(database()).toBeUndefined();
});

describe('one running service', () => {
  let service: RunningProgram;
  beforeAll(async () => {
    service = runProgram([], { DATA_DIR: dataDir, STOP_DELAY_SECONDS: '3' });
    await service.url();
  }, timeout);
  afterAll(() => stopProgram(service), timeout);

  test('a second service on a data folder in use is refused, but a task may run on it', {
    timeout,
  }, async () => {
    const second = run();
    expect(await second.exited).toBe(1);
    expect(second.output()).toMatch(/^The data folder .* is in use by another process/);
    const task = run(['migrate']);
    expect(await task.exited).toBe(0);
    expect(task.output()).toBe('The database is up to date.\n');
  });

  test('a service that is stopping reports not ready and still serves requests', { timeout }, async () => {
    const url = await service.url();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    service.child.kill('SIGTERM');
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503), {
      timeout: 2_900,
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await service.exited).toBe(0);
  });
});

test('all problems of the settings are reported together at the start', { timeout }, async () => {
  const service = run([], { PORT: 'many', RETENTION_DAYS: '0' });
  expect(await service.exited).toBe(1);
  expect(service.output()).toMatch(/PORT must be.*\n.*RETENTION_DAYS must be/);
});
