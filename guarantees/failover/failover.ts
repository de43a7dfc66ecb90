import { join } from 'node:path';
import { openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import type { Account } from '../harness/accounts.ts';
import {
  auditLedger,
  DURING_A_FAULT,
  onlyAllowed,
  restartsOf,
  untilDrained,
  verifyAgain,
} from '../harness/audit.ts';
import { type Fleet, freePorts, isReady } from '../harness/processes.ts';
import { sendRecorded } from '../harness/recorder.ts';
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
  some,
  until,
  wait,
} from '../harness/run.ts';
import { ask as askServer, type Node, startCluster } from './cluster.ts';
import { type PooledService, serverFolder, startPooledService } from './pooled-service.ts';

/**
 * Failover under load: APIs and workers behind PgBouncer on a primary with two standbys. The run then audits the last primary and the
 * carrier against everything that was acknowledged.
 */
const PER_SECOND = Number(process.env.FAILOVER_SENDS ?? 40);
const PAUSE_MS = 4_000;

interface Cluster extends PooledService {
  nodes: Node[];
}

const failovers: Scenario = {
  name: 'failover',
  about:
    'the primary is killed; then its successor freezes; then both standbys stop while an operator cancels the commits that wait for them',
  async *run(cleanup) {
    const folder = serverFolder(cleanup);
    const [poolerPort = 0, ...nodePorts] = await freePorts(4);
    const nodes = await startCluster(join(folder, 'cluster'), nodePorts);
    cleanup.defer(async () => {
      for (const node of nodes) await node.stop('SIGKILL');
    });
    const primary = nodes[0] as Node;
    const started = { folder, primary, poolerPort, firstPort: 31_200, perSecond: PER_SECOND };
    const cluster: Cluster = { ...(await startPooledService(cleanup, started)), nodes };
    const { fleet, recorder, carrier, ports } = cluster;
    print(`${PER_SECOND} sends a second and half as many verifies, through PgBouncer to ${primary.name} …`);
    await wait(PAUSE_MS);

    const killed = await failover(cluster, primary, async () => {
      print(`${primary.name} is killed`);
      primary.signal('SIGKILL');
      await wait(2_000);
    });
    await wait(PAUSE_MS);
    await comeBack(primary, killed.primary);
    const frozen = await failover(cluster, killed.primary, async () => {
      print(`${killed.primary.name} freezes, and is fenced after five seconds`);
      killed.primary.signal('SIGSTOP');
      await wait(5_000);
      killed.primary.signal('SIGKILL');
    });
    await wait(PAUSE_MS);
    await comeBack(killed.primary, frozen.primary);
    const alone = await withoutStandbys(cluster, frozen.primary);
    await wait(PAUSE_MS);
    print(`connections: ${await connectionsOf(cluster)}`);
    await cluster.stopLoad();

    print('waiting for the queue …');
    const db = openDb({ url: alone.primary.url, log: createLog('fatal'), max: 2 });
    cleanup.defer(() => db.close());
    const drainedMs = await untilDrained(db, 90_000);
    const repeated = await verifyAgain(ports.slice(0, 1), recorder, carrier.messages);
    const accepted = repeated.filter((answer) => answer?.body.reason !== 'otp_already_verified');
    const audit = await auditLedger(db, carrier.messages, recorder);
    const restarts = restartsOf(fleet);
    fleet.apis[0]?.kill('SIGTERM');
    const joinedMs = await until(
      20_000,
      async () => (fleet.apis[0]?.starts ?? 0) > 1 && isReady(ports[0] as number),
    );
    print(`responses: ${countsOf(recorder.answers)}`);
    print(`logged warnings and errors: ${countsOf(fleet.problems)}`);
    yield* [
      ...audit.checks,
      none('codes that verified twice', accepted.length),
      shown('dispatched more than once', String(audit.dispatchedTwice)),
      atMost('served again, primary killed', 5_000, killed.servedMs),
      atMost('served again, primary frozen', 5_000, frozen.servedMs),
      atMost('served again by a standby that was stopped', 5_000, alone.servedMs),
      ...alone.checks,
      atMost('longest response', 21_000, Math.max(...recorder.waits)),
      check('queue drained', '< 90 s', seconds(drainedMs), drainedMs < 90_000),
      none('restarts of APIs and workers', restarts),
      check('an API that starts afterwards is ready', '< 20 s', seconds(joinedMs), joinedMs < 20_000),
      onlyAllowed('responses other than 201, 429, 503 with Retry-After', recorder, DURING_A_FAULT),
    ];
  },
};

/** Rebuilds a failed node as a standby. This may discard commits that only this node had, which were never acknowledged. */
async function comeBack(failed: Node, primary: Node): Promise<void> {
  print(`${failed.name} returns as a standby`);
  await failed.stop('SIGKILL');
  await failed.follow(primary);
}

/** Injects the fault, then fails over as docs/operating.md describes. */
async function failover(cluster: Cluster, failed: Node, fault: () => Promise<void>) {
  const { nodes, pooler } = cluster;
  await fault();
  const standbys = nodes.filter((node) => node !== failed);
  const positions = await Promise.all(standbys.map((node) => node.position()));
  const primary = standbys[positions.indexOf(Math.max(...positions))] as Node;
  print(
    `  ${primary.name} has the most WAL (${positions.join(', ')}): it is promoted; the other standby follows it`,
  );
  await primary.promote();
  for (const standby of standbys) if (standby !== primary) await standby.followNow(primary);
  await pooler.pointTo(primary);
  const servedMs = await untilServed(cluster);
  print(`  served again ${seconds(servedMs)} after the pooler points to it`);
  return { primary, servedMs };
}

/** Stops both standbys. Commits wait, an operator cancels the waits, and the failover loses these commits. */
async function withoutStandbys(cluster: Cluster, primary: Node) {
  const { nodes, fleet, recorder } = cluster;
  const standbys = nodes.filter((node) => node !== primary);
  const before = memoryOf(fleet);
  print('both standbys stop; commits wait for 15 s, then are canceled for 10 s');
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
  const after = await failover(cluster, primary, async () => {
    print(`${primary.name} is killed, with what only it has; the standbys start`);
    primary.signal('SIGKILL');
    for (const standby of standbys) await standby.start();
  });
  const checks: Check[] = [
    none('acknowledged while no standby had it', acknowledged),
    some('commits canceled while they waited', canceled),
    check('memory of an API meanwhile, at most', '< +100 MB', `+${grownMb} MB`, grownMb < 100),
  ];
  return { ...after, checks };
}

const cancelWaits = async (primary: Node): Promise<number> => {
  const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
  return (await askServer(primary.url, cancel).catch(() => [])).length;
};

const memoryOf = ({ apis }: Fleet): number[] => apis.map((api) => api.memory());

/** Milliseconds until every API accepts a send. */
const untilServed = ({ ports, people, recorder }: Cluster): Promise<number> =>
  until(60_000, () => sendRecorded(ports, people[0] as Account, recorder));

async function connectionsOf({ pooler }: Cluster): Promise<string> {
  const pools = await pooler.tell<Record<string, string>>('SHOW POOLS');
  const pool = pools.find(({ database }) => database === 'sixdigit');
  const clients = await pooler.tell<{ application_name?: string }>('SHOW CLIENTS');
  const servers = Number(pool?.sv_active) + Number(pool?.sv_idle) + Number(pool?.sv_used);
  return `${clients.length - 1} of two APIs and two workers, on ${servers} of the server`;
}

await runScenarios([failovers]);
