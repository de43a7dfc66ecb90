import { createHash } from 'node:crypto';
import { CHANNELS } from '@sixdigit/contract/channels.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import type { InjectOptions } from 'fastify';
import type { Response } from 'light-my-request';
import { createPasswords, type Passwords } from '../src/accounts/passwords/passwords.ts';
import { newKeyText } from '../src/api-keys/key.ts';
import { type App, allJobs, createApi, createApp } from '../src/app.ts';
import { openBalance } from '../src/credits/credits.ts';
import { noPlaces, openPlaces } from '../src/platform/addresses/places.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Config } from '../src/platform/config.ts';
import { openDb, RESERVED_CONNECTIONS } from '../src/platform/db/sql.ts';
import { type StandbyReads, useStandby } from '../src/platform/db/standby-reads.ts';
import type { Server } from '../src/platform/http/serve.ts';
import { createLog } from '../src/platform/log.ts';
import type { Job, Worker } from '../src/platform/queue/job.ts';
import { systemRandom } from '../src/platform/security/random.ts';
import { createVault, type KeyCost } from '../src/platform/security/vault.ts';
import { createWakeups } from '../src/platform/wakeups.ts';
import { examineConfig, readConfig } from '../src/settings/settings.ts';
import { type Answer, type CallInput, callOn } from './call.ts';
import { clockShift } from './clock.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { openLink } from './database-url.ts';
import { checkAnswers } from './openapi-answers.ts';
import { testWorker } from './worker.ts';

/** A customer with an API key. In tests, Alice owns the data, Bob is another customer, and Charlie is signed out. */
export interface Customer {
  account_id: string;
  email: string;
  password: string;
  api_key: string;
  api_key_id: string;
}

/**
 * The whole service on its own database, called through the real router. Disposal fails if any
 * response differed from the OpenAPI document.
 */
export interface TestService extends AsyncDisposable {
  app: App;
  server: Server;
  databaseUrl: string;
  /** the service's log, line by line */
  logLines: string[];
  /** lines that a sandbox prints to the terminal */
  printed: string[];
  /** Advancing the clock first waits until the request log has every earlier response. */
  clock: {
    /** First waits for everything that the service writes after its responses, so that it has the time of the responses. */
    advance(ms: number): Promise<void>;
    /** Also waits for this, until the returned function is called. */
    settleFirst(settle: () => Promise<void>): () => void;
  };
  worker: Worker;
  call<R extends Route>(route: R, input?: CallInput<R>): Promise<Answer<R>>;
  inject(options: InjectOptions): Promise<Response>;
  /** Fails if a response since the last call differed from the OpenAPI document. Disposal makes the same check. */
  assertAnswersRight(): void;
  /** Runs every job until no work is due. Maintenance jobs run if the clock makes them due, or on request. */
  drain(options?: { keepHouse?: boolean }): Promise<void>;
  /** Dispatches the messages that are due, and runs no other job. */
  deliver(): Promise<void>;
  /** Listens on a free port of the loopback address. */
  listen(): Promise<string>;
  customer(name: string, options?: { credits?: number }): Promise<Customer>;
  /** Another API key of the same account. */
  anotherKey(account_id: string): Promise<{ id: string; key: string }>;
  /** Messages of the sandbox inbox to a recipient, newest first. */
  inbox(
    recipient: string,
  ): Promise<{ code: string | null; text: string; channel: string; subject: string | null }[]>;
}

const MINUTE = 60_000;

export const TEST_SECRET_KEY = '7f1c0a94be52d863f0e19a4c6b7d2853c4e8917fa06d3b52e9748c1fd05ab36e';
/** Hundreds of services start in the tests. */
export const TEST_KEY_COST: KeyCost = { N: 2, r: 1 };

const WAITING_NOTICES =
  'select exists (select from notices where worker_id is not null or run_at <= clock_now()) as waits';
const DISPATCHING = new Set(['deliveries', 'notices']);
/** Jobs that claim rows. */
const QUEUES = new Set([...DISPATCHING, 'webhooks']);
/**
 * Jobs that depend only on time or sum existing counts, and their intervals. They take most of the time of a round of all jobs.
 */
const HOUSEKEEPING = new Set([
  ...[
    'retention',
    'recipient-retention',
    'activity-retention',
    'run-out',
    'search-indexes',
    'daily-counts',
    'transaction-counts',
  ],
  ...['insight-hours', 'protection-sums', 'payment-comparison', 'message-domains', 'sso-domains'],
]);
const HOUSEKEEPING_EVERY_MS = 60 * MINUTE;

export interface TestServiceOptions {
  /** Another database than a new one, which the caller removes. */
  on?: Pick<TestDatabase, 'url' | 'socketUrl'>;
  /** With `on`: how far the clock is ahead at first. Ids never go back in time, so only this makes earlier ones. */
  aheadMs?: number;
  env?: Record<string, string>;
  /** people on other machines may reach it; without it, test cards and carriers on loopback are allowed together */
  isPublic?: boolean;
  /** of the server key; a program on the same database needs `SERVICE_KEY_COST` */
  keyCost?: KeyCost;
  /** Thousands are hashed in the tests: the least work that argon2 allows. */
  passwords?: Passwords;
  /** returns the URL of a proxy between the service and its database */
  via?: (databaseUrl: string) => Promise<string>;
  /** where lists, insights and exports read */
  standby?: StandbyReads;
  /** until a statement without a response counts as lost */
  patienceMs?: number;
}

export async function testService({
  env = {},
  isPublic = false,
  keyCost = TEST_KEY_COST,
  passwords = createPasswords({ memoryKib: 8, passes: 1 }),
  via,
  standby,
  on,
  aheadMs = 0,
  patienceMs = 30_000,
}: TestServiceOptions = {}): Promise<TestService> {
  const own = on ? undefined : await testDatabase();
  const database = on ?? (own as TestDatabase);
  // Does not use the pool of the service, which a test may disconnect.
  const besides = openLink(database.socketUrl);
  if (on) await besides.run(clockShift(aheadMs));
  const logLines: string[] = [];
  const printed: string[] = [];
  let shift = aheadMs;
  let housekeptAt = 0;
  const clock: Clock = {
    now: () => new Date(Date.now() + shift),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, MINUTE))),
  };
  const settings = {
    SECRET_KEY: TEST_SECRET_KEY,
    PUBLIC_URL: 'http://sixdigit.test',
    LOG_LEVEL: 'debug',
    // Tests make more calls a second than a person.
    DASHBOARD_REQUESTS_PER_SECOND: '1000000',
    ...env,
  };
  const config = isPublic ? readConfig(settings) : readAsLocal(settings);
  const log = createLog(config.logLevel, { write: (line: string) => void logLines.push(line) });
  const url = via ? await via(database.url) : database.socketUrl;
  const db = openDb({
    url,
    log,
    reserved: RESERVED_CONNECTIONS,
    applicationName: 'sixdigit test',
    patienceMs,
  });
  if (standby) useStandby(db, standby);
  const random = systemRandom(clock);
  const vault = createVault(config.secretKey ?? '', config.previousSecretKeys, random, keyCost);
  const placeOf = config.geoipDatabase ? await openPlaces(config.geoipDatabase) : noPlaces;
  const app = createApp(
    { config, db, clock, random, log, vault, placeOf, wakeups: createWakeups() },
    (line) => void printed.push(line),
  );
  const server = await createApi(app, { passwords });
  const answers = checkAnswers(server);
  const settling = new Set([settlerOf(app, server)]);
  await server.ready();
  const jobs = allJobs(app);
  const worker = testWorker(random.uuid());
  const customers = new Map<string, Customer>();

  const anotherKey = async (account_id: string) => {
    const key = newKeyText({ config, random });
    const id = random.uuid();
    await db.run(
      `insert into api_keys (id, account_id, name, prefix, hash, created_at) values ($1, $2, $3, $4, $5, clock_now())`,
      [id, account_id, 'Test key', key.slice(0, 14), createHash('sha256').update(key).digest()],
    );
    return { id, key };
  };

  const dispatching = jobs.filter(({ name }) => DISPATCHING.has(name));
  const queues = jobs.filter(({ name }) => QUEUES.has(name));
  /** One round of these jobs. Returns whether there was work. */
  const workOn = async (some: Job[]): Promise<boolean> => {
    let isWorking = false;
    for (const job of some) {
      while (await job.run(worker)) isWorking = true;
      await job.idle?.();
    }
    return isWorking;
  };

  const inject = (options: InjectOptions) => server.inject(options);
  return {
    app,
    server,
    databaseUrl: database.url,
    logLines,
    printed,
    worker,
    anotherKey,
    inject,
    assertAnswersRight: () => answers.assertRight(),
    clock: {
      async advance(ms) {
        for (const settle of settling) await settle();
        shift += ms;
        await besides.run(clockShift(shift));
      },
      settleFirst(settle) {
        settling.add(settle);
        return () => void settling.delete(settle);
      },
    },
    call: (route, input) => callOn(server, route, input),
    async deliver() {
      // A round ends early if every slot is taken, and a worker in parallel to the test may have claimed the message or be
      // about to commit its claim.
      for (let isDue = true; isDue; ) {
        isDue = false;
        isDue = await workOn(dispatching);
        isDue ||= (await db.one<{ waits: boolean }>(WAITING_NOTICES)).waits;
      }
    },
    async drain({ keepHouse = false } = {}) {
      const isHouseDue = keepHouse || Math.abs(shift - housekeptAt) >= HOUSEKEEPING_EVERY_MS;
      if (isHouseDue) housekeptAt = shift;
      // Objections wait for some seconds of real time.
      await app.protection.exchange();
      const due = isHouseDue ? jobs : jobs.filter(({ name }) => !HOUSEKEEPING.has(name));
      // The result of one job can be work for another, so the jobs run until a whole round finds none.
      for (let found = 0, n = 0; found < due.length; n = (n + 1) % due.length) {
        const job = due[n];
        found += 1;
        while (await job?.run(worker)) found = 1;
        await job?.idle?.();
        if (found < due.length || !(await hasDueWork(app))) continue;
        // An endpoint takes few messages at once.
        for (found = 0; await hasDueWork(app); ) await workOn(queues);
      }
    },
    async listen() {
      await server.listen({ host: '127.0.0.1', port: 0 });
      const address = server.server.address();
      return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    },
    async customer(name, { credits = 100 } = {}) {
      const known = customers.get(name);
      if (known) return known;
      const account_id = random.uuid();
      const email = `${name.toLowerCase()}@customers.test`;
      await db.transaction(async (tx) => {
        await tx.run(
          `insert into accounts (id, email, username, created_at) values ($1, $2, $3, clock_now())`,
          [account_id, email, name.toLowerCase()],
        );
        await openBalance(tx, account_id, credits, { id: random.uuid() });
      });
      const { id, key } = await anotherKey(account_id);
      const customer = { account_id, email, password: '', api_key: key, api_key_id: id };
      customers.set(name, customer);
      return customer;
    },
    inbox: (recipient) =>
      db.rows(
        'select channel, recipient, subject, text, html, code from sandbox_messages where recipient = $1 order by id desc',
        [recipient],
      ),
    async [Symbol.asyncDispose]() {
      await server.close();
      await app.batches.idle();
      await app.requestLog.close();
      await app.carriers.close();
      await Promise.all([db.close(), besides.close()]);
      await own?.[Symbol.asyncDispose]();
      answers.assertRight();
    },
  };
}

/**
 * Waits for everything that a process writes after its responses: the logs of sends and verifies, failed sign-ins, and the
 * counts for operators.
 */
export function settlerOf(app: App, server: Server): () => Promise<void> {
  let open = 0;
  const isLogged = ({ route }: { route?: Route | undefined }): boolean =>
    route?.name === sendOtp.name || route?.name === verifyOtp.name;
  server.addHook('onSend', async (request) => {
    if (isLogged(request)) open += 1;
  });
  server.addHook('onResponse', async (request) => {
    if (isLogged(request)) open -= 1;
  });
  return async () => {
    while (open > 0) await new Promise(setImmediate);
    await app.requestLog.flush();
    // A test may have disconnected the database.
    await Promise.allSettled([app.failedSignIns.flush(), app.activity.flush()]);
  };
}

/** The settings of a deployment that is not public, for any addresses and proxies. */
function readAsLocal(settings: Record<string, string>): Config {
  const { publicUrl, apiUrl, trustedProxies, supportEmail } = examineConfig(settings).config;
  const local = { ...settings, PUBLIC_URL: 'http://localhost', API_URL: '', TRUSTED_PROXIES: '' };
  return { ...readConfig(local), publicUrl, apiUrl, trustedProxies, supportEmail };
}

/** Whether a queue holds due work that no worker has claimed. */
async function hasDueWork({ db, breakers, carriers, clock }: App): Promise<boolean> {
  // While every carrier of a channel is paused, its messages wait in the queue.
  const available = CHANNELS.filter(
    (channel) => breakers.healthyOrder(carriers.forChannel(channel), channel, clock.now()).length > 0,
  );
  const { due } = await db.one<{ due: boolean }>(
    `select exists (select from deliveries
         where worker_id is null and run_at <= clock_now() and channel = any ($1))
         or exists (select from webhook_deliveries where worker_id is null and run_at <= clock_now())
         or exists (select from notices where worker_id is null and run_at <= clock_now()) as due`,
    [[...available, 'test']],
  );
  return due;
}
