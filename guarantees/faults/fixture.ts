import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { readPidFile } from '../../server/src/platform/db/embedded-postmaster.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { type Db, openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { HttpCarrierFake, type HttpCarrierMessage } from '../../server/test/fakes/http-carrier.ts';
import { type Account, fillAccounts } from '../harness/accounts.ts';
import { type Fleet, startFleet } from '../harness/processes.ts';
import { ask, type Recorder, startRecorder } from '../harness/recorder.ts';
import { verifyArrivals } from '../harness/verifier.ts';
import { type InFlightTracker, trackInFlight } from './in-flight-tracker.ts';
import { until, wait } from './scenario.ts';

/** The service on its own database, under steady sends and verifies, with a carrier that records every message. */
export interface Fixture {
  /** the direct URL of the database, without the proxy in front of it */
  url: string;
  db: Db;
  dataDir: string;
  carrier: HttpCarrierFake;
  fleet: Fleet;
  /** ports that receive the load */
  ports: number[];
  people: Account[];
  recorder: Recorder;
  inFlight: InFlightTracker;
  /** Stops sends and verifies, and waits for outstanding responses. */
  stopLoad(): Promise<void>;
}

export interface FixtureOptions {
  apis?: number;
  workers?: number;
  perSecond?: number;
  expiresIn?: number;
  /** Whether every second message is verified when it arrives. */
  verifies?: boolean;
  dataDir?: string;
  env?: Record<string, string>;
  /** Puts something between the service and the database; returns its URL. */
  through?: (url: string) => Promise<string>;
  /** Puts something in front of the APIs; returns its port. */
  before?: (ports: number[]) => Promise<number>;
}

/** Delays some dispatches, so that messages are in flight at any time. */
const oneInThreeIsSlow = ({ id }: HttpCarrierMessage) =>
  Number.parseInt(id.slice(-2), 16) % 3 === 0 ? 'slow' : 'accept';

export async function startFixture(options: FixtureOptions, cleanup: AsyncDisposableStack): Promise<Fixture> {
  const { apis = 2, workers = 2, perSecond = 60, expiresIn, verifies = true, env = {} } = options;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'sixdigit-crash-'));
  cleanup.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const log = createLog('fatal');
  const { url, stop } = await startEmbedded({ dataDir, log, superuser: true });
  cleanup.defer(stop);
  await migrate(url);
  const people = await fillAccounts(url, { accounts: 40, keysEach: 1 });
  const carrier = await new HttpCarrierFake({}).start();
  carrier.everyone = oneInThreeIsSlow;
  cleanup.defer(() => carrier.close());
  const fleet = await startFleet(
    { apis, workers },
    {
      DATABASE_URL: (await options.through?.(url)) ?? url,
      SECRET_KEY: 'server key of the fault-injection suite',
      PUBLIC_URL: 'http://127.0.0.1:31100',
      HTTP_CARRIER_URL: carrier.url,
      HTTP_CARRIER_SECRET: carrier.secret,
      LOG_LEVEL: 'warn',
      ...env,
    },
  );
  cleanup.defer(() => fleet.stop());
  const db = openDb({ url, log, max: 4 });
  cleanup.defer(() => db.close());
  const direct = fleet.apis.map(({ port }) => port);
  const ports = options.before ? [await options.before(direct)] : direct;
  const ending = new AbortController();
  const more = expiresIn === undefined ? {} : { expires_in: expiresIn };
  const { recorder, done } = startRecorder(ports, people, perSecond, ending.signal, more);
  const verifying = verifies && verifyArrivals(carrier, { recorder, ports, stop: ending.signal });
  const stopLoad = async () => {
    ending.abort();
    await Promise.all([done, verifying]);
  };
  cleanup.defer(stopLoad);
  await wait(2_000);
  return { url, db, dataDir, carrier, fleet, ports, people, recorder, inFlight: trackInFlight(db), stopLoad };
}

/** Milliseconds from the database's first response until every API accepts a send. */
export async function untilServed(fixture: Fixture): Promise<number> {
  const { people, recorder } = fixture;
  const person = people[0] as Account;
  await until(60_000, async () => (await fixture.db.one<{ n: number }>('select 1 as n')).n === 1);
  return until(60_000, async () => {
    const taken = fixture.ports.map(async (port) => {
      const recipient = `+1303${2_000_000 + Math.floor(Math.random() * 7_000_000)}`;
      const { status, body } = await ask(port, '/api/v1/otp/send/', person.key, {
        channel: 'sms',
        recipient,
      });
      const otp_id = String(body.otp_id);
      if (status === 201)
        recorder.acknowledged.set(otp_id, { ...person, otp_id, recipient, at_ms: Date.now() });
      return status === 201;
    });
    return (await Promise.all(taken)).every(Boolean);
  });
}

/** Signals all processes of the database. The postmaster comes first, so that it cannot start new ones. */
export function signalDatabase({ dataDir }: Pick<Fixture, 'dataDir'>, signal: NodeJS.Signals): void {
  const pid = readPidFile(join(dataDir, 'postgres'))?.pid;
  if (!pid) return;
  const send = (to: number) => {
    try {
      process.kill(to, signal);
    } catch {
      // The process has already ended.
    }
  };
  send(pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  for (const child of children.split(' ').filter(Boolean)) send(Number(child));
}
