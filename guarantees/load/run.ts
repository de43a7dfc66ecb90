import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { type Db, openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { type Account, fillAccounts } from '../harness/accounts.ts';
import { countUnbalanced } from '../harness/ledger-audit.ts';
import { type Answered, openLoop, type Prepared, quantile } from '../harness/load.ts';
import { type Fleet, startFleet } from '../harness/processes.ts';
import { createReport } from '../harness/report.ts';
import { nextPhone, sendRequest, verifyRequest } from '../harness/requests.ts';

/**
 * The load run: requests are sent on schedule, and latencies count from the scheduled time. Two APIs and two workers share one
 * PostgreSQL and dispatch to an HTTP carrier. This process generates the load.
 */
const SECONDS = Number(process.env.LOAD_SECONDS ?? 600);
const PER_SECOND = 300;
const BURST = { perSecond: 1_500, seconds: 10 };
const LIMIT = { perSecond: 30, offered: 100, seconds: 15 };
const CONNECTIONS = 64;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const { print, figure, finish } = createReport();
const ms = (value: number) => `${value.toFixed(1)} ms`;

/** Responses to one kind of request, by status. */
class Tally {
  readonly waits: number[] = [];
  readonly statuses = new Map<number, number>();
  note({ status }: Answered): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
  /** Responses that are neither `expected` nor a rate limit. */
  errors(expected: number): number {
    return [...this.statuses].reduce(
      (sum, [status, n]) => sum + (status === expected || status === 429 ? 0 : n),
      0,
    );
  }
  get p99(): number {
    return quantile(this.waits, 0.99);
  }
}

async function main(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sixdigit-load-'));
  const log = createLog('fatal');
  const embedded = await startEmbedded({ dataDir, log, superuser: true });
  const carrier = await startCarrier();
  await migrate(embedded.url);
  const db = openDb({ url: embedded.url, log, max: 3 });
  const accounts = await fillAccounts(embedded.url, { accounts: 500, keysEach: 1 });
  const [limited] = await fillAccounts(embedded.url, { accounts: 1, keysEach: 1 });
  const fleet = await startFleet(
    { apis: 2, workers: 2, firstPort: 31_500 },
    {
      DATABASE_URL: embedded.url,
      SECRET_KEY: 'server key of the load run, at least 16 characters',
      PUBLIC_URL: 'http://127.0.0.1:31500',
      HTTP_CARRIER_URL: `http://127.0.0.1:${carrier.port}/`,
      HTTP_CARRIER_SECRET: `whsec_${Buffer.from('a secret of the load run').toString('base64')}`,
      LOG_LEVEL: 'warn',
    },
  );
  const ports = fleet.apis.map(({ port }) => port);
  try {
    const sends = new Tally();
    const verifies = new Tally();
    const memory = watchMemory(fleet);
    print(`${PER_SECOND} sends and ${PER_SECOND} verifies a second for ${SECONDS} s …`);
    const lives = livesOn(accounts, carrier.codes);
    const half = { perSecond: PER_SECOND / ports.length, seconds: SECONDS, connections: CONNECTIONS };
    const before = await sizeOf(db);
    await Promise.all(
      ports.flatMap((port) => [
        openLoop(port, half, lives.send, (answered, waited) => {
          sends.note(answered);
          sends.waits.push(waited);
          lives.sent(answered);
        }),
        openLoop(port, half, lives.verify, (answered, waited) => {
          verifies.note(answered);
          verifies.waits.push(waited);
        }),
      ]),
    );
    const growth = memory.stop();
    figure(
      `sends, p99 (p50) of ${sends.waits.length}`,
      '≤ 150 ms',
      `${ms(sends.p99)} (${ms(quantile(sends.waits, 0.5))})`,
      sends.p99 <= 150,
    );
    figure(
      `verifies, p99 (p50) of ${verifies.waits.length}`,
      '≤ 150 ms',
      `${ms(verifies.p99)} (${ms(quantile(verifies.waits, 0.5))})`,
      verifies.p99 <= 150,
    );
    const errors = sends.errors(201) + verifies.errors(200);
    figure('error responses', '0', `${errors} ${errors > 0 ? spread(sends, verifies) : ''}`, errors === 0);
    for (const { name, early, late } of growth)
      figure(
        `most memory of ${name}, first half → second half`,
        '≤ + 15 %',
        `${early.toFixed(0)} → ${late.toFixed(0)} MB`,
        late <= early * 1.15,
      );
    const { lives: n } = await db.one<{ lives: number }>(
      `select count(*) as lives from verifications where status = 'verified'`,
    );
    figure(
      'disk per verified verification, dead rows included',
      '-',
      `${(((await sizeOf(db)) - before) / n) | 0} bytes`,
      true,
    );

    print(`${BURST.perSecond} sends a second for ${BURST.seconds} s …`);
    const burst = new Tally();
    const part = { ...BURST, perSecond: BURST.perSecond / ports.length, connections: CONNECTIONS * 2 };
    await Promise.all(
      ports.map((port) =>
        openLoop(port, part, lives.send, (answered, waited) => {
          burst.note(answered);
          burst.waits.push(waited);
        }),
      ),
    );
    figure('the burst: p99', '-', ms(burst.p99), true);
    figure(
      'the burst: error responses',
      '0',
      `${burst.errors(201)} of ${burst.waits.length}`,
      burst.errors(201) === 0,
    );
    const drained = await untilDrained(db, 60);
    figure('queue empty after the burst', '≤ 30 s', `${drained.toFixed(1)} s`, drained <= 30);

    print(`one key offered ${LIMIT.offered} a second over ${ports.length} APIs for ${LIMIT.seconds} s …`);
    const keyed = livesOn([limited as Account], carrier.codes);
    await Promise.all(
      ports.map((port) =>
        openLoop(
          port,
          { perSecond: LIMIT.offered / ports.length, seconds: LIMIT.seconds, connections: 16 },
          keyed.send,
        ),
      ),
    );
    const seconds = await acceptedBySecond(db, limited as Account);
    const [least, most] = [Math.min(...seconds), Math.max(...seconds)];
    figure(
      `accepted in each of ${seconds.length} seconds`,
      `${LIMIT.perSecond} ± 1`,
      `${least} to ${most}`,
      least >= LIMIT.perSecond - 1 && most <= LIMIT.perSecond + 1,
    );
    const unbalanced = await countUnbalanced(db);
    figure('accounts whose ledger does not balance', '0', String(unbalanced), unbalanced === 0);
    for (const [line, n2] of fleet.problems) print(`  ${n2} × ${line}`);
  } finally {
    await fleet.stop();
    await db.close();
    carrier.stop();
    await embedded.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return finish();
}

const spread = (...tallies: Tally[]): string => JSON.stringify(tallies.map(({ statuses }) => [...statuses]));

interface Carrier {
  port: number;
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
  return { port, codes, stop: () => void child.kill() };
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

async function untilDrained(db: Db, seconds: number): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < seconds * 1000) {
    if ((await db.one<{ n: number }>('select count(*) as n from deliveries')).n === 0) break;
    await wait(50);
  }
  return (performance.now() - began) / 1000;
}

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

process.exitCode = (await main()) ? 0 : 1;
