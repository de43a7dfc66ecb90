import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPidFile } from '../../server/src/platform/db/embedded-postmaster.ts';
import type { Sql } from '../../server/src/platform/db/sql.ts';
import { slowMs } from '../../server/test/fakes/behaviour.ts';
import type { HttpCarrierFake, HttpCarrierMessage } from '../../server/test/fakes/http-carrier.ts';
import { type Account, fillAccounts } from '../harness/accounts.ts';
import {
  type Database,
  type Fleet,
  startCarrier,
  startDatabase,
  startService,
} from '../harness/processes.ts';
import { type Recorder, sendRecorded, startRecorder, verifyArrivals } from '../harness/recorder.ts';
import { until, wait } from '../harness/run.ts';

/** The service on its own database, under steady sends and verifies, with a carrier that records every message. */
export interface Fixture extends Database {
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
  /** If true, every second message is verified when it arrives. */
  verifies?: boolean;
  dataDir?: string;
  env?: Record<string, string>;
  /** Starts a proxy between the service and the database. Returns its URL. */
  through?: (url: string) => Promise<string>;
  /** Starts a proxy in front of the APIs. Returns its port. */
  before?: (ports: number[]) => Promise<number>;
}

/** Delays some dispatches, so that messages are in flight at any time. */
const oneInThreeIsSlow = ({ id }: HttpCarrierMessage) =>
  Number.parseInt(id.slice(-2), 16) % 3 === 0 ? 'slow' : 'accept';

export async function startFixture(options: FixtureOptions, cleanup: AsyncDisposableStack): Promise<Fixture> {
  const { apis, workers, perSecond = 60, expiresIn, verifies = true, dataDir, env, through } = options;
  const database = await startDatabase(cleanup, dataDir === undefined ? {} : { dataDir });
  const people = await fillAccounts(database.url, { accounts: 40, keysEach: 1 });
  const carrier = await startCarrier(cleanup);
  carrier.everyone = oneInThreeIsSlow;
  const url = (await through?.(database.url)) ?? database.url;
  const fleet = await startService(cleanup, { url, carrier, apis, workers, env });
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
  const inFlight = trackInFlight(database.db, carrier);
  return { ...database, carrier, fleet, ports, people, recorder, inFlight, stopLoad };
}

/** Milliseconds from the database's first response until every API accepts a send. */
export async function untilServed(fixture: Fixture): Promise<number> {
  const { db, people, recorder, ports } = fixture;
  const person = people[0] as Account;
  await until(60_000, async () => (await db.one<{ n: number }>('select 1 as n')).n === 1);
  return until(60_000, () => sendRecorded(ports, person, recorder));
}

/** Signals all PostgreSQL processes, the postmaster first, so that it cannot start new ones. */
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

const POLL_MS = 20;

/** Records which messages were in flight at each fault. Only those may be dispatched twice. */
export interface InFlightTracker {
  /** For a long fault, which begins when this resolves: records every message in flight until `stop` is called. */
  during(): Promise<{ stop(): Promise<void> }>;
  /** Waits until the other workers' messages have settled, then records the paused worker's messages. */
  recordStalled(): Promise<void>;
  /** the number of faults during which each message was in flight */
  readonly times: Map<string, number>;
}

function trackInFlight(sql: Sql, carrier: HttpCarrierFake): InFlightTracker {
  const times = new Map<string, number>();
  const read = () =>
    sql.rows<{ id: string; claim: string }>('select id, claim from deliveries where claim is not null');
  const count = (ids: Iterable<string>) => {
    for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
  };
  return {
    times,
    async during() {
      const seen = new Set<string>();
      let ends = false;
      const look = async () => {
        for (const { id } of await read().catch(() => [])) seen.add(id);
      };
      // A fault of the database leaves no time for another look. Messages claimed since this one arrive at the carrier.
      const sinceMs = Date.now();
      await look();
      const beganMs = Date.now();
      const looking = (async () => {
        for (; !ends; await wait(POLL_MS)) await look();
        await look();
        for (const { id, arrived_at } of carrier.messages)
          if (arrived_at.getTime() >= sinceMs && arrived_at.getTime() <= beganMs + POLL_MS) seen.add(id);
        count(seen);
      })();
      return {
        stop() {
          ends = true;
          return looking;
        },
      };
    },
    async recordStalled() {
      const before = new Set((await read()).map(({ claim, id }) => claim + id));
      await wait(slowMs + 200);
      count((await read()).filter(({ claim, id }) => before.has(claim + id)).map(({ id }) => id));
    },
  };
}
