/**
 * The load run: requests are sent on schedule, and latencies count from the scheduled time. Two APIs and two workers share one
 * PostgreSQL and dispatch to an HTTP carrier. This process generates the load.
 */

import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Db } from '../../server/src/platform/db/sql.ts';
import { type Account, fillAccounts } from '../harness/accounts.ts';
import { balanced, untilDrained } from '../harness/audit.ts';
import {
  type Answered,
  nextPhone,
  openLoop,
  type Prepared,
  quantile,
  sendRequest,
  verifyRequest,
} from '../harness/load.ts';
import { type Fleet, startDatabase, startService } from '../harness/processes.ts';
import {
  atMost,
  type Check,
  check,
  countsOf,
  none,
  print,
  runScenarios,
  type Scenario,
  shown,
} from '../harness/run.ts';

const SECONDS = Number(process.env.LOAD_SECONDS ?? 600);
const PER_SECOND = 300;
const BURST = { perSecond: 1_500, seconds: 10 };
const LIMIT = { perSecond: 30, offered: 100, seconds: 15 };
const CONNECTIONS = 64;

const ms = (value: number) => `${value.toFixed(1)} ms`;

/** Responses to one kind of request, by status. */
class Tally {
  readonly waits: number[] = [];
  readonly statuses = new Map<number, number>();
  readonly note = ({ status }: Answered, waited: number): void => {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.waits.push(waited);
  };
  /** Responses that are neither `expected` nor a rate limit. */
  errors(expected: number): number {
    return [...this.statuses].reduce(
      (sum, [status, n]) => sum + (status === expected || status === 429 ? 0 : n),
      0,
    );
  }
  /** Describes `what` by its 99th percentile and median. */
  latency(what: string): Check {
    const p99 = quantile(this.waits, 0.99);
    const seen = `${ms(p99)} (${ms(quantile(this.waits, 0.5))})`;
    return check(`${what}, p99 (p50) of ${this.waits.length}`, '≤ 150 ms', seen, p99 <= 150);
  }
}

interface Loaded {
  db: Db;
  fleet: Fleet;
  ports: number[];
  carrier: Carrier;
  accounts: Account[];
}

async function open(cleanup: AsyncDisposableStack): Promise<Loaded> {
  const { url, db } = await startDatabase(cleanup);
  const carrier = await startCarrier();
  cleanup.defer(() => carrier.stop());
  const accounts = await fillAccounts(url, { accounts: 501, keysEach: 1 });
  const fleet = await startService(cleanup, { url, carrier, firstPort: 31_500 });
  cleanup.defer(() => print(`\nlogged warnings and errors: ${countsOf(fleet.problems)}`));
  return { db, fleet, carrier, accounts, ports: fleet.apis.map(({ port }) => port) };
}

const steady: Scenario<Loaded> = {
  name: 'steady',
  about: `${PER_SECOND} sends and ${PER_SECOND} verifies a second for ${SECONDS} s`,
  async *run(_, { db, fleet, ports, carrier, accounts }) {
    const [sends, verifies] = [new Tally(), new Tally()];
    const memory = watchMemory(fleet);
    const lives = livesOn(accounts.slice(1), carrier.codes);
    const half = { perSecond: PER_SECOND / ports.length, seconds: SECONDS, connections: CONNECTIONS };
    const before = await sizeOf(db);
    await Promise.all(
      ports.flatMap((port) => [
        openLoop(port, half, lives.send, (answered, waited) => {
          sends.note(answered, waited);
          lives.sent(answered);
        }),
        openLoop(port, half, lives.verify, verifies.note),
      ]),
    );
    const growth = memory.stop();
    yield sends.latency('sends');
    yield verifies.latency('verifies');
    const errors = sends.errors(201) + verifies.errors(200);
    if (errors > 0) print(`  sends: ${countsOf(sends.statuses)}; verifies: ${countsOf(verifies.statuses)}`);
    yield none('error responses', errors);
    for (const { name, early, late } of growth)
      yield check(
        `peak memory of ${name}, first half → second half`,
        '≤ + 15 %',
        `${early.toFixed(0)} → ${late.toFixed(0)} MB`,
        late <= early * 1.15,
      );
    const { lives: n } = await db.one<{ lives: number }>(
      `select count(*) as lives from verifications where status = 'verified'`,
    );
    const bytes = ((await sizeOf(db)) - before) / n;
    yield shown('disk per verified verification, dead rows included', `${bytes | 0} bytes`);
    yield await balanced(db);
  },
};

const burst: Scenario<Loaded> = {
  name: 'burst',
  about: `${BURST.perSecond} sends a second for ${BURST.seconds} s`,
  async *run(_, { db, ports, carrier, accounts }) {
    const tally = new Tally();
    const lives = livesOn(accounts.slice(1), carrier.codes);
    const part = { ...BURST, perSecond: BURST.perSecond / ports.length, connections: CONNECTIONS * 2 };
    await Promise.all(ports.map((port) => openLoop(port, part, lives.send, tally.note)));
    yield shown('p99', ms(quantile(tally.waits, 0.99)));
    yield none('error responses', tally.errors(201), tally.waits.length);
    yield atMost('queue empty after the burst', 30_000, await untilDrained(db, 60_000));
    yield await balanced(db);
  },
};

const limit: Scenario<Loaded> = {
  name: 'limit',
  about: `${LIMIT.offered} sends a second with one key that may make ${LIMIT.perSecond}, for ${LIMIT.seconds} s`,
  async *run(_, { db, ports, carrier, accounts }) {
    const [limited] = accounts as [Account, ...Account[]];
    const { send } = livesOn([limited], carrier.codes);
    const part = { perSecond: LIMIT.offered / ports.length, seconds: LIMIT.seconds, connections: 16 };
    await Promise.all(ports.map((port) => openLoop(port, part, send)));
    const seconds = await acceptedBySecond(db, limited);
    const [least, most] = [Math.min(...seconds), Math.max(...seconds)];
    yield check(
      `requests accepted in each of ${seconds.length} seconds`,
      `${LIMIT.perSecond} ± 1`,
      `${least} to ${most}`,
      least >= LIMIT.perSecond - 1 && most <= LIMIT.perSecond + 1,
    );
    yield await balanced(db);
  },
};

interface Carrier {
  url: string;
  secret: string;
  /** code by message id, oldest first */
  codes: Map<string, string>;
  stop(): void;
}

async function startCarrier(): Promise<Carrier> {
  const child = fork(join(import.meta.dirname, 'carrier.ts'));
  const codes = new Map<string, string>();
  const port = await new Promise<number>((resolve) => {
    child.on('message', (message: { port?: number; taken?: { id: string; code: string }[] }) => {
      if (message.port) resolve(message.port);
      for (const { id, code } of message.taken ?? []) codes.set(id, code);
    });
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    secret: `whsec_${Buffer.from('a secret of the load run').toString('base64')}`,
    codes,
    stop: () => void child.kill(),
  };
}

/** Sends to new numbers, and verifies acknowledged sends with the code that the carrier received. */
function livesOn(accounts: readonly Account[], codes: Map<string, string>) {
  let turn = 0;
  const keys = new Map<string, string>();
  /** acknowledged sends, in the order of their responses */
  const open: { id: string; key: string }[] = [];
  const send = (): Prepared => {
    const key = accounts[turn++ % accounts.length]?.key ?? '';
    const recipient = nextPhone();
    keys.set(recipient, key);
    return sendRequest(key, recipient);
  };
  const sent = ({ status, body }: Answered) => {
    if (status !== 201) return;
    const { otp_id, recipient } = JSON.parse(body) as { otp_id: string; recipient: string };
    open.push({ id: otp_id, key: keys.get(recipient) ?? '' });
    keys.delete(recipient);
  };
  const verify = (): Prepared | undefined => {
    const at = open.findIndex(({ id }) => codes.has(id));
    const [next] = at < 0 ? [] : open.splice(at, 1);
    if (!next) return undefined;
    const code = codes.get(next.id);
    codes.delete(next.id);
    return verifyRequest(next.key, next.id, code);
  };
  return { send, sent, verify };
}

/** Peak memory of each process in the first and in the second half of the run, in MB. */
function watchMemory(fleet: Fleet) {
  const processes = [
    ...fleet.apis.map((member, n) => ({ name: `API ${n + 1}`, member, seen: [] as number[] })),
    ...fleet.workers.map((member, n) => ({ name: `worker ${n + 1}`, member, seen: [] as number[] })),
  ];
  const timer = setInterval(() => {
    for (const { member, seen } of processes) seen.push(member.memory() / 1024 / 1024);
  }, 1_000);
  return {
    stop() {
      clearInterval(timer);
      return processes.map(({ name, seen }) => {
        const half = Math.floor(seen.length / 2);
        const [early, late] = [Math.max(...seen.slice(0, half)), Math.max(...seen.slice(half))];
        return { name, early, late };
      });
    },
  };
}

const sizeOf = async (db: Db): Promise<number> =>
  (
    await db.one<{ bytes: number }>(
      `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c
       where c.relkind = 'r' and c.relname ~ '^(verifications|status_history|request_logs|ledger)'`,
    )
  ).bytes;

/** Accepted sends in each whole second of the database's clock, without the first and the last. */
const acceptedBySecond = async (db: Db, { account_id }: Account): Promise<number[]> =>
  (
    await db.rows<{ n: number }>(
      `select count(*) as n from verifications where account_id = $1 group by date_trunc('second', created_at)
       order by date_trunc('second', created_at)`,
      [account_id],
    )
  )
    .map(({ n }) => n)
    .slice(1, -1);

await runScenarios([steady, burst, limit], open);
