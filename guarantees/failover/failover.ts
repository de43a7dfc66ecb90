import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { HttpCarrierFake } from '../../server/test/fakes/http-carrier.ts';
import { type Account, fillAccounts } from '../harness/accounts.ts';
import { auditLedger } from '../harness/ledger-audit.ts';
import { freePorts } from '../harness/ports.ts';
import { type Fleet, isReady, startFleet } from '../harness/processes.ts';
import { ask, type Recorder, startRecorder } from '../harness/recorder.ts';
import { verifyArrivals } from '../harness/verifier.ts';
import { ask as askServer, type Node, own, startCluster } from './cluster.ts';
import { Pooler } from './pooler.ts';

/**
 * Failover under load: APIs and workers behind PgBouncer on a primary with two standbys. The primary is killed, then its
 * successor freezes, then both standbys stop while an operator cancels the commits that wait for them. The run then audits the last
 * primary and the carrier against everything that was acknowledged.
 */
const PER_SECOND = Number(process.env.FAILOVER_SENDS ?? 40);
const PAUSE_MS = 4_000;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const print = (text: string) => console.log(text);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

interface Fixture {
  nodes: Node[];
  pooler: Pooler;
  fleet: Fleet;
  recorder: Recorder;
  people: readonly Account[];
}

async function main(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-failover-'));
  own(folder);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [poolerPort = 0, ...nodePorts] = await freePorts(4);
  const nodes = await startCluster(join(folder, 'cluster'), nodePorts);
  cleanup.defer(async () => {
    for (const node of nodes) await node.stop('SIGKILL');
  });
  const primary = nodes[0] as Node;
  const pooler = new Pooler(join(folder, 'pooler'), poolerPort);
  await pooler.start(primary);
  cleanup.defer(() => pooler.stop());
  await migrate(pooler.url);
  const people = await fillAccounts(primary.url, { accounts: 40, keysEach: 1 });
  const carrier = await new HttpCarrierFake({}).start();
  cleanup.defer(() => carrier[Symbol.asyncDispose]());
  const fleet = await startFleet(
    { apis: 2, workers: 2, firstPort: 31_200 },
    {
      DATABASE_URL: pooler.url,
      SECRET_KEY: 'server key of the failover run',
      PUBLIC_URL: 'http://127.0.0.1:31200',
      HTTP_CARRIER_URL: carrier.url,
      HTTP_CARRIER_SECRET: carrier.secret,
      LOG_LEVEL: 'warn',
    },
  );
  cleanup.defer(() => fleet.stop());
  const ports = fleet.apis.map(({ port }) => port);

  print(`${PER_SECOND} sends a second and half as many verifies, through PgBouncer to ${primary.name} …`);
  const stop = new AbortController();
  const { recorder, done } = startRecorder(ports, people, PER_SECOND, stop.signal);
  const verifying = verifyArrivals(carrier, { recorder, ports, stop: stop.signal });
  const fixture: Fixture = { nodes, pooler, fleet, recorder, people };
  await wait(PAUSE_MS);

  const killed = await failover(fixture, primary, async () => {
    print(`${primary.name} is killed`);
    primary.signal('SIGKILL');
    await wait(2_000);
  });
  await wait(PAUSE_MS);
  await comeBack(primary, killed.primary);

  const frozen = await failover(fixture, killed.primary, async () => {
    print(`${killed.primary.name} freezes, and is fenced after five seconds`);
    killed.primary.signal('SIGSTOP');
    await wait(5_000);
    killed.primary.signal('SIGKILL');
  });
  await wait(PAUSE_MS);
  await comeBack(killed.primary, frozen.primary);
  const alone = await withoutStandbys(fixture, frozen.primary);
  await wait(PAUSE_MS);
  const connections = await connectionsOf(fixture);
  stop.abort();
  await Promise.all([done, verifying]);

  print('waiting for the queue …');
  const db = openDb({ url: alone.primary.url, log: createLog('fatal'), max: 2 });
  cleanup.defer(() => db.close());
  const drainedMs = await until(90_000, async () => {
    const left = await db.one<{ n: number }>('select count(*) as n from deliveries').catch(() => ({ n: 1 }));
    return left.n === 0;
  });
  const codes = new Map(carrier.messages.map(({ id, code }) => [id, code]));
  const secondSuccesses = await verifyAgain(fixture, codes);
  const audit = await auditLedger(db, carrier.messages, recorder);

  const allowed = /^(201|429|503|verify (200|429 .*|503 .*|400 otp_already_verified|unacknowledged))$/;
  const strange = [...recorder.answers].filter(([what]) => !allowed.test(what));
  const restarts = [...fleet.apis, ...fleet.workers].reduce((sum, { starts }) => sum + starts - 1, 0);
  const longest = Math.max(...recorder.waits);
  fleet.apis[0]?.kill('SIGTERM');
  const joinedMs = await until(
    20_000,
    async () => (fleet.apis[0]?.starts ?? 0) > 1 && isReady(ports[0] as number),
  );
  print(`responses: ${[...recorder.answers].map(([what, count]) => `${what} × ${count}`).join(', ')}`);
  print(
    `problems: ${[...fleet.problems].map(([what, count]) => `${what} × ${count}`).join(' · ') || 'none'}`,
  );
  print(`connections: ${connections}`);
  print('');
  const { acknowledged, verified } = recorder;
  const checks: [string, string, boolean][] = [
    [
      'acknowledged sends that are missing',
      `${audit.missing.length} of ${acknowledged.size}`,
      audit.missing.length === 0 && acknowledged.size > 0,
    ],
    [
      'acknowledged successes that are missing',
      `${audit.unverified.length} of ${verified.size}`,
      audit.unverified.length === 0 && verified.size > 0,
    ],
    ['codes that verified twice', String(secondSuccesses), secondSuccesses === 0],
    ['sends without exactly one debit', String(audit.withoutOneDebit), audit.withoutOneDebit === 0],
    ['neither dispatched nor refunded', String(audit.neverDispatched), audit.neverDispatched === 0],
    ['dispatched more than once', String(audit.dispatchedTwice), true],
    ['dispatched with two codes', String(audit.dispatchedWithTwoCodes), audit.dispatchedWithTwoCodes === 0],
    ['accounts whose ledger does not balance', String(audit.unbalanced), audit.unbalanced === 0],
    ['served again, primary killed', seconds(killed.servedMs), killed.servedMs <= 5_000],
    ['served again, primary frozen', seconds(frozen.servedMs), frozen.servedMs <= 5_000],
    ['served again by a standby that was stopped', seconds(alone.servedMs), alone.servedMs <= 5_000],
    ['acknowledged while no standby had it', String(alone.acknowledged), alone.acknowledged === 0],
    ['commits canceled while they waited', String(alone.canceled), alone.canceled > 0],
    ['memory of an API meanwhile, at most', `+${alone.grownMb} MB`, alone.grownMb < 100],
    ['longest answer', seconds(longest), longest <= 21_000],
    ['queue drained', seconds(drainedMs), drainedMs < 90_000],
    ['restarts of APIs and workers', String(restarts), restarts === 0],
    ['an API that starts afterwards is ready', seconds(joinedMs), joinedMs < 20_000],
    [
      'responses other than 201, 429, 503 with Retry-After',
      strange.map(([what, count]) => `${what} × ${count}`).join(', ') || 'none',
      strange.length === 0,
    ],
  ];
  for (const [name, value, holds] of checks)
    print(`${holds ? 'holds ' : 'BROKEN'}  ${name.padEnd(51)} ${value}`);
  return checks.every(([, , holds]) => holds);
}

/** Brings a failed node back as a fresh standby. Commits that only it had were never acknowledged. */
async function comeBack(failed: Node, primary: Node): Promise<void> {
  print(`${failed.name} comes back as a standby`);
  await failed.stop('SIGKILL');
  await failed.follow(primary);
}

/** Fails over by the steps of docs/operating.md, after `fault` has hit the primary. */
async function failover(fixture: Fixture, failed: Node, befall: () => Promise<void>) {
  const { nodes, pooler } = fixture;
  await befall();
  const standbys = nodes.filter((node) => node !== failed);
  const positions = await Promise.all(standbys.map((node) => node.position()));
  const primary = standbys[positions.indexOf(Math.max(...positions))] as Node;
  print(
    `  ${primary.name} has most of the log (${positions.join(', ')}): it is promoted, and the other follows it`,
  );
  await primary.promote();
  for (const standby of standbys) if (standby !== primary) await standby.followNow(primary);
  await pooler.pointTo(primary);
  const servedMs = await untilServed(fixture);
  print(`  served again ${seconds(servedMs)} after the pooler points to it`);
  return { primary, servedMs };
}

/** Both standbys stop: commits wait, an operator cancels the waits, and the failover loses those commits. */
async function withoutStandbys(fixture: Fixture, primary: Node) {
  const { nodes, fleet, recorder } = fixture;
  const standbys = nodes.filter((node) => node !== primary);
  const before = memoryOf(fleet);
  print('both standbys stop; commits wait for 15 s, and are canceled for 10 s');
  for (const standby of standbys) await standby.stop();
  await wait(500);
  const acknowledgedBefore = recorder.acknowledged.size;
  let canceled = 0;
  let grownMb = 0;
  for (const from = Date.now(); Date.now() - from < 25_000; await wait(1_000)) {
    if (Date.now() - from > 15_000) canceled += await cancelWaits(primary);
    const after = memoryOf(fleet);
    grownMb = Math.max(grownMb, ...after.map((bytes, n) => Math.round((bytes - (before[n] ?? 0)) / 1e6)));
  }
  const acknowledged = recorder.acknowledged.size - acknowledgedBefore;
  const after = await failover(fixture, primary, async () => {
    print(`${primary.name} is killed, with what only it has; the standbys start`);
    primary.signal('SIGKILL');
    for (const standby of standbys) await standby.start();
  });
  return { canceled, acknowledged, grownMb, ...after };
}

const cancelWaits = async (primary: Node): Promise<number> => {
  const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
  return (await askServer(primary.url, cancel).catch(() => [])).length;
};

const memoryOf = ({ apis }: Fleet): number[] => apis.map((api) => api.memory());

/** Milliseconds until every API accepts a send. */
const untilServed = async ({ fleet, people, recorder }: Fixture): Promise<number> =>
  until(60_000, async () => {
    const person = people[0] as Account;
    const answers = await Promise.all(
      fleet.apis.map(async ({ port }) => {
        const recipient = `+1303${3_000_000 + Math.floor(Math.random() * 1_000_000)}`;
        const send = ask(port, '/api/v1/otp/send/', person.key, { channel: 'sms', recipient });
        const { status, body } = await send;
        const otp_id = String(body.otp_id);
        if (status === 201)
          recorder.acknowledged.set(otp_id, { ...person, otp_id, recipient, at_ms: Date.now() });
        return status;
      }),
    );
    return answers.every((status) => status === 201);
  });

/** Verifies each used code again. Returns the number of successes, which must be 0. */
async function verifyAgain({ fleet, recorder }: Fixture, codes: Map<string, string>): Promise<number> {
  let successes = 0;
  for (const otp_id of [...recorder.verified].slice(-200)) {
    const key = recorder.acknowledged.get(otp_id)?.key ?? '';
    const body = { otp_id, code: codes.get(otp_id) };
    const answer = await ask(fleet.apis[0]?.port ?? 0, '/api/v1/otp/verify/', key, body);
    if (answer.body.reason !== 'otp_already_verified') successes++;
  }
  return successes;
}

async function connectionsOf({ pooler }: Fixture): Promise<string> {
  const pools = await pooler.tell<Record<string, string>>('SHOW POOLS');
  const pool = pools.find(({ database }) => database === 'sixdigit');
  const clients = await pooler.tell<{ application_name?: string }>('SHOW CLIENTS');
  const servers = Number(pool?.sv_active) + Number(pool?.sv_idle) + Number(pool?.sv_used);
  return `${clients.length - 1} of two APIs and two workers, on ${servers} of the server`;
}

async function until(mostMs: number, holds: () => Promise<boolean>): Promise<number> {
  const from = Date.now();
  while (Date.now() - from < mostMs) {
    if (await holds().catch(() => false)) break;
    await wait(100);
  }
  return Date.now() - from;
}

process.exitCode = (await main()) ? 0 : 1;
