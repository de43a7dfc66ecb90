import type { Fleet } from '../harness/processes.ts';
import type { Recorder } from '../harness/recorder.ts';
import { type Check, check, none, some, wait } from '../harness/run.ts';
import type { Cluster } from './cluster.ts';
import type { Machine } from './machine.ts';

/** A fault of the cluster under load. It ends with the fault repaired, but not yet recovered from. */
export interface Fault {
  name: string;
  about: string;
  /** the longest time without an acknowledged send, in milliseconds. Shown but not checked if absent */
  mostMs?: number;
  inject(cluster: Cluster, load: Load): Promise<Check[]>;
}

interface Load {
  fleet: Fleet;
  recorder: Recorder;
}

/** when the primary's PostgreSQL dies */
const SERVER_MS = 5_000;
/** when the primary's machine dies */
const MACHINE_MS = 25_000;
/** when the primary's machine no longer responds, which each standby waits for before it takes over */
const UNREACHABLE_MS = 30_000;
/** for faults that sends should not notice */
const BRIEF_MS = 2_000;
const ETCD_PORTS = [2379, 2380];
/** Longer than etcd keeps the key of a lost primary and the failover after it. */
const LOST_MS = 35_000;

export const FAULTS: readonly Fault[] = [
  {
    name: 'postgresql',
    about: "the primary's PostgreSQL is killed",
    mostMs: SERVER_MS,
    async inject(cluster) {
      const primary = await cluster.primary();
      primary.signal('SIGKILL', ['postgres']);
      await wait(8_000);
      return [await another(cluster, primary)];
    },
  },
  {
    name: 'processes',
    about: "the primary's PostgreSQL and Patroni are killed; systemd starts Patroni again",
    mostMs: MACHINE_MS,
    async inject(cluster) {
      (await cluster.primary()).signal('SIGKILL', ['postgres', 'patroni']);
      await wait(LOST_MS);
      return [];
    },
  },
  {
    name: 'machine',
    about: "the primary's machine loses power, and boots after 35 s",
    mostMs: MACHINE_MS,
    async inject(cluster) {
      const primary = await cluster.primary();
      await primary.powerOff();
      await wait(LOST_MS);
      primary.powerOn();
      return [await another(cluster, primary)];
    },
  },
  {
    name: 'frozen',
    about: "the primary's machine freezes, and resumes after 35 s",
    mostMs: UNREACHABLE_MS,
    async inject(cluster) {
      const primary = await cluster.primary();
      primary.signal('SIGSTOP');
      await wait(LOST_MS);
      const checks = [await another(cluster, primary)];
      primary.signal('SIGCONT');
      return checks;
    },
  },
  {
    name: 'etcd-cut',
    about: 'the primary loses its connection to etcd on the other machines for 35 s',
    mostMs: BRIEF_MS,
    async inject(cluster) {
      const primary = await cluster.primary();
      primary.disconnectPorts(ETCD_PORTS);
      await wait(LOST_MS);
      primary.reconnect();
      return [];
    },
  },
  {
    name: 'etcd',
    about: 'etcd stops on all nodes for 35 s',
    mostMs: BRIEF_MS,
    async inject(cluster) {
      await stopEtcd(cluster);
      return [];
    },
  },
  {
    name: 'partition',
    about: 'the primary loses its connection to both other nodes, but not to the service, for 35 s',
    mostMs: UNREACHABLE_MS,
    async inject(cluster) {
      const primary = await cluster.primary();
      const others = await cluster.standbys();
      primary.disconnectFrom(others);
      await wait(LOST_MS);
      const checks = [await another(cluster, primary)];
      primary.reconnect();
      return checks;
    },
  },
  {
    name: 'switchover',
    about: 'an operator switches to the synchronous standby',
    mostMs: SERVER_MS,
    async inject(cluster) {
      const primary = await cluster.primary();
      const next = await cluster.synchronousStandby();
      const from = `switchover sixdigit --leader ${primary.name} --candidate ${next.name}`;
      cluster.control(next, `${from} --force`);
      await wait(3_000);
      const now = await cluster.primary();
      return [check('the new primary', next.name, now.name, now === next)];
    },
  },
  {
    name: 'haproxy',
    about: 'HAProxy is killed; systemd starts it again',
    mostMs: SERVER_MS,
    async inject({ service }) {
      service.signal('SIGKILL', ['haproxy']);
      await wait(5_000);
      return [];
    },
  },
  {
    name: 'pgbouncer',
    about: "the primary's PgBouncer is killed; systemd starts it again",
    mostMs: SERVER_MS,
    async inject(cluster) {
      (await cluster.primary()).signal('SIGKILL', ['pgbouncer']);
      await wait(5_000);
      return [];
    },
  },
  {
    name: 'etcd-again',
    about: 'etcd stops on all nodes for 35 s, after another primary used failsafe mode',
    // Patroni before 3.1 then takes the former primary for the current one (github.com/patroni/patroni/pull/2803).
    mostMs: UNREACHABLE_MS,
    async inject(cluster) {
      await stopEtcd(cluster);
      return [];
    },
  },
  {
    name: 'standby',
    about: 'the machine of the synchronous standby loses power, and boots after 35 s',
    mostMs: SERVER_MS,
    async inject(cluster) {
      const standby = await cluster.synchronousStandby();
      await standby.powerOff();
      await wait(LOST_MS);
      standby.powerOn();
      return [];
    },
  },
  {
    name: 'two-machines',
    about: 'the machines of both standbys lose power for 25 s, and with them the majority of etcd',
    async inject(cluster, { recorder }) {
      const standbys = await cluster.standbys();
      for (const standby of standbys) await standby.powerOff();
      await wait(500);
      const before = recorder.acknowledged.size;
      await wait(25_000);
      const acknowledged = recorder.acknowledged.size - before;
      for (const standby of standbys) standby.powerOn();
      return [none('acknowledged while no standby had it', acknowledged)];
    },
  },
  {
    name: 'standbys',
    about:
      'Patroni and PostgreSQL of both standbys stop for 25 s, while an operator cancels the commits that wait',
    async inject(cluster, load) {
      const standbys = await cluster.standbys();
      const checks = await withoutStandbys(cluster, load);
      for (const standby of standbys) standby.start('patroni');
      return checks;
    },
  },
  {
    name: 'last-copy',
    about:
      'the same, and then the machine of the primary loses power too: an operator promotes the standby with the most WAL',
    async inject(cluster, load) {
      const primary = await cluster.primary();
      const standbys = await cluster.standbys();
      const checks = await withoutStandbys(cluster, load);
      await primary.powerOff();
      for (const standby of standbys) standby.start('patroni');
      await wait(LOST_MS);
      const successor = cluster.mostAdvanced(standbys);
      const isWaiting = await cluster.primary().then(
        () => false,
        () => true,
      );
      cluster.control(successor, `failover sixdigit --candidate ${successor.name} --force`);
      await wait(5_000);
      const now = await cluster.primary();
      primary.powerOn();
      return [
        ...checks,
        check('a standby promoted without an operator', 'none', isWaiting ? 'none' : 'one', isWaiting),
        check('the new primary', successor.name, now.name, now === successor),
      ];
    },
  },
  {
    name: 'replaced',
    about: 'a standby is lost with its disk, and an empty machine takes its place',
    mostMs: SERVER_MS,
    async inject(cluster) {
      const primary = await cluster.primary();
      const lost = await cluster.synchronousStandby();
      await lost.powerOff();
      lost.eraseDisk();
      await wait(5_000);
      const etcd = `ETCDCTL_API=3 etcdctl --endpoints=http://${primary.address}:2379 member`;
      const id = new RegExp(`^(\\w+), .*, ${lost.name},`, 'm').exec(primary.run(`${etcd} list`))?.[1];
      primary.run(`${etcd} remove ${id}`);
      primary.run(`${etcd} add ${lost.name} --peer-urls=http://${lost.address}:2380`);
      cluster.configure(lost, 'existing');
      lost.powerOn();
      return [];
    },
  },
];

async function stopEtcd({ nodes }: Cluster): Promise<void> {
  for (const node of nodes) await node.stop('etcd', 'SIGKILL');
  await wait(LOST_MS);
  for (const node of nodes) node.start('etcd');
}

async function another(cluster: Cluster, former: Machine): Promise<Check> {
  const now = await cluster.primary().catch(() => former);
  return check('the primary', `not ${former.name}`, now.name, now !== former);
}

/**
 * The synchronous standby stops. The other one becomes synchronous, and then stops too, as the only one that has the last
 * acknowledged commits. Commits wait for 15 s, then are canceled for 10 s.
 */
async function withoutStandbys(cluster: Cluster, { fleet, recorder }: Load): Promise<Check[]> {
  const primary = await cluster.primary();
  const synchronous = await cluster.synchronousStandby();
  const others = (await cluster.standbys()).filter((standby) => standby !== synchronous);
  const before = memoryOf(fleet);
  for (const standby of [synchronous, ...others]) {
    await standby.stop('patroni', 'SIGKILL');
    standby.signal('SIGKILL', ['postgres']);
    await wait(4_000);
  }
  const acknowledgedBefore = recorder.acknowledged.size;
  let canceled = 0;
  let grownMb = 0;
  for (const from = Date.now(); Date.now() - from < 25_000; await wait(1_000)) {
    if (Date.now() - from > 15_000) canceled += cluster.cancelWaits(primary);
    const after = memoryOf(fleet);
    grownMb = Math.max(grownMb, ...after.map((bytes, n) => Math.round((bytes - (before[n] ?? 0)) / 1e6)));
  }
  const acknowledged = recorder.acknowledged.size - acknowledgedBefore;
  return [
    none('acknowledged while no standby had it', acknowledged),
    some('commits canceled while they waited', canceled),
    check('memory of an API meanwhile, at most', '< +100 MB', `+${grownMb} MB`, grownMb < 100),
  ];
}

const memoryOf = ({ apis }: Fleet): number[] => apis.map((api) => api.memory());
