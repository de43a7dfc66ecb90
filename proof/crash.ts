import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillAccounts } from '../bench/people.ts';
import { startEmbedded } from '../server/src/db/embedded.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openDb } from '../server/src/db/sql.ts';
import { createLog } from '../server/src/log.ts';
import { HttpCarrierFake } from '../server/test/fakes/http-carrier.ts';
import { isReady, startFleet } from './fleet.ts';
import { ask, startWitness } from './witness.ts';

/**
 * The crash ring: two APIs and two workers on one PostgreSQL under steady sends, while workers are killed every second, APIs
 * every four, the database now and then, frozen once, and the carrier refuses, hangs and loses its answers. Afterwards
 * everything that was acknowledged is held against what is in the books and at the carrier.
 */
const SECONDS = Number(process.env.CRASH_SECONDS ?? 120);
const PER_SECOND = Number(process.env.CRASH_SENDS ?? 60);

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text: string) => console.log(text);

async function main(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sixdigit-crash-'));
  const log = createLog('fatal');
  const embedded = await startEmbedded({ dataDir, log });
  const carrier = await new HttpCarrierFake({}).start();
  await migrate(embedded.url);
  const people = await fillAccounts(embedded.url, { accounts: 40, keysEach: 1 });
  const fleet = await startFleet(
    { apis: 2, workers: 2 },
    {
      DATABASE_URL: embedded.url,
      SECRET_KEY: 'the crash ring has a server key of its own',
      PUBLIC_URL: 'http://127.0.0.1:34100',
      HTTP_CARRIER_URL: carrier.url,
      HTTP_CARRIER_SECRET: carrier.secret,
      LOG_LEVEL: 'warn',
    },
  );
  const db = openDb({ url: embedded.url, log, max: 4 });
  const ports = fleet.apis.map(({ port }) => port);
  const stop = new AbortController();
  const { witness, done } = startWitness(ports, people, PER_SECOND, stop.signal);
  const kills = { workers: 0, apis: 0, database: 0, frozen: 0 };
  const returns: number[] = [];
  const began = Date.now();
  const until = began + SECONDS * 1000;
  say(`${SECONDS} s of ${PER_SECOND} sends a second under faults …`);

  const killing = (async () => {
    for (let second = 1; Date.now() < until; second++) {
      await wait(1000);
      fleet.workers[second % 2]?.kill('SIGKILL');
      kills.workers++;
      if (second % 4 === 0) {
        fleet.apis[(second / 4) % 2]?.kill('SIGKILL');
        kills.apis++;
      }
      if (second % 30 === 20) {
        signalPostmaster(dataDir, 'SIGKILL');
        kills.database++;
        returns.push(await untilServed(ports, people[0]?.key ?? ''));
      }
      if (second === 45) {
        freeze(dataDir);
        kills.frozen++;
      }
      carrier.everyone = second % 20 === 5 ? 'error' : second % 20 === 12 ? 'hang' : undefined;
    }
    carrier.everyone = undefined;
  })();
  await killing;
  stop.abort();
  await done;
  say('faults over; waiting for the queue …');
  const drainedAfter = await untilDrained(db, 120);

  // Some of what arrived is verified, so that the books see every kind of entry.
  const codes = new Map(carrier.messages.map(({ id, code }) => [id, code]));
  for (const one of [...witness.acknowledged.values()].slice(-200)) {
    const code = codes.get(one.otp_id);
    if (!code) continue;
    const answer = await ask(ports[0] as number, '/api/v1/otp/verify/', one.key, {
      otp_id: one.otp_id,
      code,
    }).catch(() => undefined);
    if (answer?.status === 200) witness.verified.add(one.otp_id);
    const again = await ask(ports[1] as number, '/api/v1/otp/verify/', one.key, {
      otp_id: one.otp_id,
      code,
    }).catch(() => undefined);
    if (again?.status === 200)
      witness.answers.set('a second success', (witness.answers.get('a second success') ?? 0) + 1);
  }

  const handed = new Map<string, Set<string>>();
  const times = new Map<string, number>();
  for (const { id, code } of carrier.messages) {
    handed.set(id, (handed.get(id) ?? new Set()).add(code));
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  const acknowledged = [...witness.acknowledged.keys()];
  const rows = await db.rows<{
    id: string;
    status: string;
    cost_credits: number;
    debits: number;
    refunds: number;
  }>(
    `select v.id, v.status, v.cost_credits,
       (select count(*) from ledger l where l.reference = 'usage:' || v.id) as debits,
       (select count(*) from ledger l where l.reference = 'refund:' || v.id) as refunds
     from verifications v`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const missing = acknowledged.filter((id) => !byId.has(id));
  const wrongDebits = rows.filter(({ debits }) => debits !== 1);
  const neverHanded = rows.filter((row) => !times.has(row.id) && row.refunds === 0);
  const unbalanced = await db.rows(
    `select b.account_id from balances b
     where b.credits - b.debt <> 100000000 + (select coalesce(sum(l.credits), 0) from ledger l where l.account_id = b.account_id)`,
  );
  const twice = [...times.values()].filter((count) => count > 1).length;
  const mostTimes = Math.max(0, ...times.values());
  const twoCodes = [...handed.values()].filter((some) => some.size > 1).length;
  const strange = [...witness.answers].filter(([what]) => !['201', '503', '429', 'lost'].includes(what));
  await db.close();
  await fleet.stop();
  await carrier[Symbol.asyncDispose]();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });

  say(`answers: ${[...witness.answers].map(([what, count]) => `${what} × ${count}`).join(', ')}`);
  say(
    `kills: ${kills.workers} of workers, ${kills.apis} of APIs, ${kills.database} of the database; frozen for 20 s: ${kills.frozen}`,
  );
  say(
    `complaints: ${[...fleet.complaints].map(([what, count]) => `${what} × ${count}`).join(' · ') || 'none'}`,
  );
  const checks: [string, string, boolean][] = [
    [
      'acknowledged sends that are missing',
      `${missing.length} of ${acknowledged.length}`,
      missing.length === 0,
    ],
    ['sends without exactly one debit', String(wrongDebits.length), wrongDebits.length === 0],
    ['neither handed over nor refunded', String(neverHanded.length), neverHanded.length === 0],
    ['handed over more than once', `${twice} (${mostTimes} times at most)`, true],
    ['handed over with two codes', String(twoCodes), twoCodes === 0],
    ['accounts whose books do not balance', String(unbalanced.length), unbalanced.length === 0],
    [
      'service again after the database returned',
      `${returns.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}`,
      returns.every((ms) => ms <= 5_000),
    ],
    ['queue drained after the faults', `${drainedAfter.toFixed(0)} s`, drainedAfter < 120],
    [
      'answers other than 201, 429, 503',
      strange.map(([what, count]) => `${what} × ${count}`).join(', ') || 'none',
      strange.length === 0,
    ],
  ];
  say('');
  for (const [name, value, holds] of checks)
    say(`${holds ? 'holds ' : 'BROKEN'}  ${name.padEnd(45)} ${value}`);
  return checks.every(([, , holds]) => holds);
}

const postmasterOf = (dataDir: string): number | undefined => {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : undefined;
};

function signalPostmaster(dataDir: string, signal: NodeJS.Signals): void {
  const pid = postmasterOf(dataDir);
  if (pid) process.kill(pid, signal);
}

/** The whole database stands still for 20 seconds. */
function freeze(dataDir: string): void {
  const pid = postmasterOf(dataDir);
  if (!pid) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const all = [pid, ...children].filter((one) => one > 0);
  const send = (signal: NodeJS.Signals) => {
    for (const one of all) {
      try {
        process.kill(one, signal);
      } catch {}
    }
  };
  send('SIGSTOP');
  setTimeout(() => send('SIGCONT'), 20_000);
}

/** From the moment the database takes connections again until every API serves; ms. */
async function untilServed(ports: readonly number[], _key: string): Promise<number> {
  const away = Date.now();
  let back: number | undefined;
  while (Date.now() - away < 60_000) {
    await wait(100);
    const ready = await Promise.all(ports.map(isReady));
    if (back === undefined && ready.some(Boolean)) back = Date.now();
    if (ready.every(Boolean)) return Date.now() - (back ?? away);
  }
  return 60_000;
}

async function untilDrained(db: ReturnType<typeof openDb>, seconds: number): Promise<number> {
  const from = Date.now();
  while (Date.now() - from < seconds * 1000) {
    const { left } = await db
      .one<{ left: number }>(`select count(*) as left from deliveries`)
      .catch(() => ({ left: 1 }));
    if (left === 0) break;
    await wait(500);
  }
  return (Date.now() - from) / 1000;
}

process.exitCode = (await main()) ? 0 : 1;
