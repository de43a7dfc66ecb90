/**
 * The cluster of docs/high-availability.md under load. After each fault, the run audits the primary and the carrier against everything
 * that was acknowledged until then.
 */

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../harness/accounts.ts';
import { auditLedger, onlyAllowed, restartsOf, untilDrained, verifyAgain } from '../harness/audit.ts';
import { isReady } from '../harness/processes.ts';
import { type Recorder, sendRecorded } from '../harness/recorder.ts';
import {
  atMost,
  type Check,
  check,
  countsOf,
  none,
  print,
  runScenarios,
  type Scenario,
  seconds,
  shown,
  until,
  wait,
} from '../harness/run.ts';
import { Cluster, versionsOf } from './cluster.ts';
import { FAULTS, type Fault } from './faults.ts';
import { healthy } from './health.ts';
import { Service } from './service.ts';

const PER_SECOND = Number(process.env.FAILOVER_SENDS ?? 60);
const AROUND_MS = 3_000;
/** The service gives up waiting for a commit after 10 s; retries of the request's phases add to that. */
const LONGEST_MS = 21_000;
const ALLOWED = /^(201|503|verify (200|503 .*|400 otp_already_verified|unacknowledged))$/;

interface Started {
  cluster: Cluster;
  service: Service;
}

async function open(cleanup: AsyncDisposableStack): Promise<Started> {
  print(`${versionsOf()}; load average ${loadavg()[0]?.toFixed(1)}`);
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-cluster-'));
  chmodSync(folder, 0o755);
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = await Cluster.start(folder);
  cleanup.defer(async () => {
    for (const node of cluster.nodes) await node.powerOff();
    await cluster.service.stop('haproxy', 'SIGKILL');
  });
  print(`three empty machines are a cluster after ${seconds(await cluster.settled())}`);
  return { cluster, service: await Service.start(cleanup, cluster) };
}

const scenarioOf = (fault: Fault): Scenario<Started> => ({
  name: fault.name,
  about: fault.about,
  async *run(_cleanup, { cluster, service }) {
    await cluster.settled();
    const sentTwiceBefore = sentTwice(service).length;
    const restartsBefore = restartsOf(service.fleet);
    const load = service.startLoad(PER_SECOND);
    const { recorder } = load;
    await wait(AROUND_MS);
    const from = Date.now();
    let own: Check[];
    try {
      own = await fault.inject(cluster, { fleet: service.fleet, recorder });
    } finally {
      await until(60_000, () => sendRecorded(service.ports, service.people[0] as Account, recorder));
    }
    const settledMs = await cluster.settled();
    const to = Date.now();
    await wait(AROUND_MS);
    await load.stop();
    const drainedMs = await untilDrained(service.db, 90_000);
    const repeated = await verifyAgain(service.ports.slice(0, 1), recorder, service.carrier.messages);
    const accepted = repeated.filter((answer) => answer?.body.reason !== 'otp_already_verified');
    const { acknowledged, verified } = service;
    const audit = await auditLedger(service.db, service.carrier.messages, {
      ...recorder,
      acknowledged,
      verified,
    });
    const twice = sentTwice(service).slice(sentTwiceBefore);
    // A message in flight when the primary fails is dispatched again if the record of its dispatch is lost.
    const unexplained = twice.filter((at) => at < from - 1_000 || at > to);
    const [pooled, direct] = service.ports.map((port) => longestGap(recorder, port, from, to));
    const longest = Math.max(pooled ?? 0, direct ?? 0);
    print(`  responses: ${countsOf(recorder.answers)}`);
    yield* own;
    yield fault.mostMs === undefined
      ? shown('longest time without an acknowledged send', seconds(longest))
      : atMost('longest time without an acknowledged send', fault.mostMs, longest);
    yield* [
      shown('… through PgBouncer; without it', `${seconds(pooled ?? 0)}; ${seconds(direct ?? 0)}`),
      shown('sends answered with 503', String(recorder.answers.get('503') ?? 0)),
      shown('both standbys stream again', seconds(settledMs)),
      ...audit.checks,
      none('codes that verified twice', accepted.length),
      none('dispatched twice, though not in flight at the fault', unexplained.length),
      shown('dispatched twice', String(twice.length)),
      atMost('longest response', LONGEST_MS, Math.max(...recorder.waits)),
      check('queue drained', '< 90 s', seconds(drainedMs), drainedMs < 90_000),
      onlyAllowed('responses other than 201, 503 with Retry-After', recorder, ALLOWED),
      none('restarts of APIs and workers', restartsOf(service.fleet) - restartsBefore),
    ];
  },
});

/** The time of the first dispatch of every message that was dispatched more than once, in the order of the second dispatches. */
function sentTwice({ carrier }: Service): number[] {
  const first = new Map<string, number>();
  const again: number[] = [];
  for (const { id, arrived_at } of carrier.messages) {
    const before = first.get(id);
    if (before === undefined) first.set(id, arrived_at.getTime());
    else again.push(before);
  }
  return again;
}

/** The longest time between two acknowledged sends of an API, in milliseconds. */
function longestGap({ acknowledged }: Recorder, port: number, from: number, to: number): number {
  const times = [...acknowledged.values()].filter((one) => one.port === port).map(({ at_ms }) => at_ms);
  const inside = [from, ...times.filter((at) => at > from && at < to).sort((a, b) => a - b), to];
  return Math.max(...inside.slice(1).map((at, n) => at - (inside[n] as number)));
}

const restarted: Scenario<Started> = {
  name: 'restarted',
  about: 'after all faults, an API starts again',
  async *run(_cleanup, { service }) {
    const [api] = service.fleet.apis;
    api?.kill('SIGTERM');
    const joinedMs = await until(
      20_000,
      async () => (api?.starts ?? 0) > 1 && isReady(service.ports[0] as number),
    );
    yield check('ready', '< 20 s', seconds(joinedMs), joinedMs < 20_000);
    print(`logged warnings and errors: ${countsOf(service.fleet.problems)}`);
  },
};

await runScenarios([healthy, ...FAULTS.map(scenarioOf), restarted], open);
