import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { HttpCarrierFake } from '../../server/test/fakes/http-carrier.ts';
import { fillAccounts } from '../harness/accounts.ts';
import { auditLedger } from '../harness/ledger-audit.ts';
import { freePorts } from '../harness/ports.ts';
import { startFleet } from '../harness/processes.ts';
import { startRecorder } from '../harness/recorder.ts';
import { createReport } from '../harness/report.ts';
import { verifyArrivals } from '../harness/verifier.ts';
import { ask, Node, own } from './cluster.ts';
import { Pooler } from './pooler.ts';

/**
 * Moves the database of a working service to another PostgreSQL server with `deploy/move-database.sh`, and then audits the new
 * server and the carrier against everything that was acknowledged.
 */
const PER_SECOND = Number(process.env.MOVE_SENDS ?? 40);
const AROUND_MS = 6_000;
const PAUSE_MAX_MS = 2_000;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const { print, figure, finish } = createReport();

async function main(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-move-'));
  own(folder);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [poolerPort = 0, ...ports] = await freePorts(3);
  const servers = join(folder, 'servers');
  mkdirSync(servers);
  own(servers);
  const [source, target] = ['source', 'target'].map(
    (name, n) => new Node(servers, name, { port: ports[n] as number, settings: { wal_level: 'logical' } }),
  ) as [Node, Node];
  cleanup.defer(async () => {
    await Promise.all([source.stop('SIGKILL'), target.stop('SIGKILL')]);
  });
  await Promise.all([source.create(), target.create()]);
  const pooler = new Pooler(join(folder, 'pooler'), poolerPort);
  await pooler.start(source);
  cleanup.defer(() => pooler.stop());
  await migrate(source.url);
  const people = await fillAccounts(source.url, { accounts: 40, keysEach: 1 });
  const carrier = await new HttpCarrierFake({}).start();
  cleanup.defer(() => carrier[Symbol.asyncDispose]());
  const fleet = await startFleet(
    { apis: 2, workers: 2, firstPort: 31_300 },
    {
      DATABASE_URL: pooler.url,
      SECRET_KEY: 'server key of the run that moves a database',
      PUBLIC_URL: 'http://127.0.0.1:31300',
      HTTP_CARRIER_URL: carrier.url,
      HTTP_CARRIER_SECRET: carrier.secret,
      LOG_LEVEL: 'warn',
    },
  );
  cleanup.defer(() => fleet.stop());
  const apis = fleet.apis.map(({ port }) => port);

  print(`${PER_SECOND} sends a second and half as many verifies, through PgBouncer …`);
  const stop = new AbortController();
  const { recorder, done } = startRecorder(apis, people, PER_SECOND, stop.signal);
  const verifying = verifyArrivals(carrier, { recorder, ports: apis, stop: stop.signal });
  await wait(AROUND_MS);
  print('a transaction that does not end:');
  const stuck = await attemptWhileStuck(source, target, pooler);
  const goesOn = recorder.acknowledged.size;
  await wait(AROUND_MS);
  const before = recorder.acknowledged.size;
  print('without it:');
  const { code, output } = await moveDatabase(source, target, pooler);
  print(output.replace(/^/gm, '  ').trimEnd());
  const pauseMs = Number(/waited for (\d+) ms/.exec(output)?.[1] ?? Number.NaN);
  const moved = recorder.acknowledged.size;
  await wait(AROUND_MS);
  const after = recorder.acknowledged.size;
  stop.abort();
  await Promise.all([done, verifying]);

  const db = openDb({ url: target.url, log: createLog('fatal'), max: 2 });
  cleanup.defer(() => db.close());
  const drained = await untilEmpty(db);
  const audit = await auditLedger(db, carrier.messages, recorder);
  const strange = [...recorder.answers].filter(([what]) => !EXPECTED.test(what));
  const restarts = [...fleet.apis, ...fleet.workers].reduce((sum, { starts }) => sum + starts - 1, 0);
  const { last } = await db.one<{ last: string }>(
    "select max(id::text) as last from verifications where created_at > clock_now() - interval '1 hour'",
  );
  const [left] = await ask<{ newest: string }>(
    source.url,
    'select max(id::text) as newest from verifications',
  );
  const { counted, rows } = await db.one<{ counted: number; rows: number }>(
    `select (select coalesce(sum(sent), 0) from insight_sums where minutes = 5 or minutes = 1440 and channel = '*')
         + (select coalesce(sum(sent), 0) from insight_deltas) as counted,
       (select count(*) from verifications) as rows`,
  );
  print(`responses: ${[...recorder.answers].map(([what, count]) => `${what} × ${count}`).join(', ')}`);
  print(`problems: ${[...fleet.problems].map(([what, n]) => `${what} × ${n}`).join(' · ') || 'none'}\n`);

  const none = (name: string, count: number, of?: number) =>
    figure(name, '0', of === undefined ? String(count) : `${count} of ${of}`, count === 0 && of !== 0);
  figure('a move that a transaction prevents', 'refused', stuck === 0 ? 'done' : 'refused', stuck !== 0);
  figure('acknowledged after it', '> 0', String(before - goesOn), before > goesOn);
  figure('the script ends with success', '0', String(code), code === 0);
  figure('callers waited at the switch', `≤ ${PAUSE_MAX_MS} ms`, `${pauseMs} ms`, pauseMs <= PAUSE_MAX_MS);
  figure('longest response', '-', `${Math.max(...recorder.waits).toFixed(0)} ms`, true);
  figure(
    'acknowledged before, during and after',
    '> 0',
    `${before}, ${moved - before}, ${after - moved}`,
    after > moved && moved > before && before > 0,
  );
  none(
    'responses other than 201 and 200',
    strange.reduce((sum, [, count]) => sum + count, 0),
  );
  none('acknowledged sends that are missing', audit.missing.length, recorder.acknowledged.size);
  none('acknowledged successes that are missing', audit.unverified.length, recorder.verified.size);
  none('sends without exactly one debit', audit.withoutOneDebit);
  none('neither dispatched nor refunded', audit.neverDispatched);
  none('dispatched more than once', audit.dispatchedTwice);
  none('accounts whose ledger does not balance', audit.unbalanced);
  none('verifications that the insights miss or count twice', Math.abs(counted - rows), rows);
  figure(
    'the former server has no later rows',
    'true',
    String((left?.newest ?? '') < last),
    (left?.newest ?? '') < last,
  );
  figure('queue empty', '≤ 60 s', drained ? 'yes' : 'no', drained);
  none('restarts of APIs and workers', restarts);
  return finish();
}

const EXPECTED = /^(201|verify (200|400 otp_already_verified|unacknowledged))$/;

/** Tries to move while a transaction stays open, and then removes what the script names. Returns its exit code. */
async function attemptWhileStuck(source: Node, target: Node, pooler: Pooler): Promise<number> {
  const holder = new pg.Client({ connectionString: pooler.url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('begin; select 1');
  const { code, output } = await moveDatabase(source, target, pooler);
  print(output.replace(/^/gm, '  ').trimEnd());
  await holder.end();
  for (const statement of [
    'drop subscription sixdigit_move',
    'drop schema public cascade',
    'create schema public',
  ])
    await ask(target.url, statement);
  await ask(source.url, 'drop publication sixdigit_move');
  return code;
}

function moveDatabase(source: Node, target: Node, pooler: Pooler): Promise<{ code: number; output: string }> {
  const child = spawn('bash', [join(import.meta.dirname, '../../deploy/move-database.sh')], {
    env: {
      PATH: process.env.PATH,
      SOURCE_URL: source.url,
      TARGET_URL: target.url,
      POOLER_URL: pooler.url.replace(/sixdigit$/, 'pgbouncer'),
      SWITCH: `sed -i 's/port=${source.port} /port=${target.port} /' '${pooler.file}'`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code: code ?? 1, output })));
}

async function untilEmpty(db: ReturnType<typeof openDb>): Promise<boolean> {
  for (const end = Date.now() + 60_000; Date.now() < end; await wait(200))
    if ((await db.one<{ n: number }>('select count(*) as n from deliveries')).n === 0) return true;
  return false;
}

process.exitCode = (await main()) ? 0 : 1;
