/**
 * Moves the database of a working service to another PostgreSQL server with `deploy/move-database.sh`, and then audits the new
 * server and the carrier against everything that was acknowledged.
 */

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { freePorts } from '../../server/test/free-ports.ts';
import { auditLedger, onlyAllowed, restartsOf, untilDrained } from '../harness/audit.ts';
import {
  check,
  countsOf,
  none,
  print,
  runScenarios,
  type Scenario,
  seconds,
  shown,
  some,
  wait,
} from '../harness/run.ts';
import { ask, DatabaseServer, own } from './database-server.ts';
import { type Pooler, serverFolder, startPooledService } from './pooled-service.ts';

const PER_SECOND = Number(process.env.MOVE_SENDS ?? 40);
const AROUND_MS = 6_000;
const PAUSE_MAX_MS = 2_000;
const ALLOWED = /^(201|verify (200|400 otp_already_verified|unacknowledged))$/;

const move: Scenario = {
  name: 'move',
  about: 'the database moves to another server, after a first attempt that an open transaction prevents',
  async *run(cleanup) {
    const folder = serverFolder(cleanup);
    const [poolerPort = 0, ...ports] = await freePorts(3);
    const servers = join(folder, 'servers');
    mkdirSync(servers);
    own(servers);
    const [source, target] = ['source', 'target'].map(
      (name, n) =>
        new DatabaseServer(servers, name, { port: ports[n] as number, settings: { wal_level: 'logical' } }),
    ) as [DatabaseServer, DatabaseServer];
    cleanup.defer(async () => {
      await Promise.all([source.stop('SIGKILL'), target.stop('SIGKILL')]);
    });
    await Promise.all([source.create(), target.create()]);
    const started = { folder, server: source, poolerPort, firstPort: 31_300, perSecond: PER_SECOND };
    const { pooler, carrier, fleet, recorder, stopLoad } = await startPooledService(cleanup, started);
    print(`${PER_SECOND} sends a second and half as many verifies, through PgBouncer …`);
    await wait(AROUND_MS);
    print('a move during a transaction that does not end:');
    const stuck = await moveWhileStuck(source, target, pooler);
    const refusedAt = recorder.acknowledged.size;
    await wait(AROUND_MS);
    const before = recorder.acknowledged.size;
    print('a move without it:');
    const { code, output } = await moveDatabase(source, target, pooler);
    print(output.replace(/^/gm, '  ').trimEnd());
    const pauseMs = Number(/waited for (\d+) ms/.exec(output)?.[1] ?? Number.NaN);
    const moved = recorder.acknowledged.size;
    await wait(AROUND_MS);
    const after = recorder.acknowledged.size;
    await stopLoad();

    const db = openDb({ url: target.url, log: createLog('fatal'), max: 2 });
    cleanup.defer(() => db.close());
    const drainedMs = await untilDrained(db, 60_000);
    const audit = await auditLedger(db, carrier.messages, recorder);
    const { last } = await db.one<{ last: string }>(
      "select max(id::text) as last from verifications where created_at > clock_now() - interval '1 hour'",
    );
    const [left] = await ask<{ newest: string }>(
      source.url,
      'select max(id::text) as newest from verifications',
    );
    const isSourceOlder = (left?.newest ?? '') < last;
    const { counted, rows } = await db.one<{ counted: number; rows: number }>(
      `select (select coalesce(sum(sent), 0) from insight_sums where minutes = 5 or minutes = 1440 and channel = '*')
           + (select coalesce(sum(sent), 0) from insight_deltas) as counted,
         (select count(*) from verifications) as rows`,
    );
    print(`responses: ${countsOf(recorder.answers)}`);
    print(`logged warnings and errors: ${countsOf(fleet.problems)}\n`);
    yield* [
      check('a move that a transaction prevents', 'refused', stuck === 0 ? 'done' : 'refused', stuck !== 0),
      some('acknowledged after it', before - refusedAt),
      none('exit code of the script', code),
      check('callers waited at the switch', `≤ ${PAUSE_MAX_MS} ms`, `${pauseMs} ms`, pauseMs <= PAUSE_MAX_MS),
      shown('longest response', seconds(Math.max(...recorder.waits))),
      check(
        'acknowledged before, during and after',
        '> 0',
        `${before}, ${moved - before}, ${after - moved}`,
        after > moved && moved > before && before > 0,
      ),
      onlyAllowed('responses other than 201 and 200', recorder, ALLOWED),
      ...audit.checks,
      none('dispatched more than once', audit.dispatchedTwice),
      none('verifications that the insights miss or count twice', Math.abs(counted - rows), rows),
      check('the former server has no later rows', 'true', String(isSourceOlder), isSourceOlder),
      check('queue empty', '< 60 s', seconds(drainedMs), drainedMs < 60_000),
      none('restarts of APIs and workers', restartsOf(fleet)),
    ];
  },
};

/** Tries to move while a transaction stays open, then removes what the script created. Returns the script's exit code. */
async function moveWhileStuck(
  source: DatabaseServer,
  target: DatabaseServer,
  pooler: Pooler,
): Promise<number> {
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

function moveDatabase(
  source: DatabaseServer,
  target: DatabaseServer,
  pooler: Pooler,
): Promise<{ code: number; output: string }> {
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
  return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? 1, output })));
}

await runScenarios([move]);
