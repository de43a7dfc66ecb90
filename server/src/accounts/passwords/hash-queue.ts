/**
 * Shares the hashing threads fairly. A few jobs run at once and a bounded number waits, in three rooms, so that a crowd in one
 * cannot block the jobs of another:
 *
 * - `known`: sign-ins from networks that the person signed in from before. It has every second turn.
 * - `signed_in`: password checks of sessions, and used reset links. A person has at most one waiting job.
 * - `open`: all other jobs.
 *
 * In `open`, turns rotate among the widest networks, then among the networks inside each. If it is full, the newest job of its
 * fullest network is refused. In the other rooms, the person with the fewest recent jobs goes first, and if one is full, the
 * person with the most is refused. So many people who flood a room never displace an occasional job.
 */

import { availableParallelism } from 'node:os';
import { Failure } from '../../platform/http/failure.ts';
import type { Client } from '../sessions/client.ts';

export type Place = {
  client: Pick<Client, 'networks'>;
} & ({ room: 'open' } | { room: 'known' | 'signed_in'; person_id: string });

export interface HashQueue {
  /**
   * Throws `too_many_requests` if the room is full and this job is the one refused, or if the person already has a waiting job
   * in `signed_in`.
   */
  inTurn<T>(place: Place, work: () => Promise<T>): Promise<T>;
}

type RoomName = Place['room'];

interface QueueSize extends Record<RoomName, number> {
  /** jobs that run at once */
  atOnce: number;
}

/**
 * The maximum number of waiting jobs in each room. Hashing leaves one core to sends, because a hash occupies a core for a tenth
 * of a second.
 */
export const QUEUE_SIZE: QueueSize = {
  atOnce: availableParallelism() > 2 ? 2 : 1,
  open: 64,
  known: 64,
  signed_in: 128,
};

/**
 * The order in which each turn looks into the rooms. Every room gets turns, and a known network waits for at most one job of
 * the other rooms.
 */
const TURNS: readonly (readonly RoomName[])[] = [
  ['known', 'signed_in', 'open'],
  ['open', 'known', 'signed_in'],
  ['known', 'open', 'signed_in'],
  ['signed_in', 'known', 'open'],
];

interface Job {
  start(): void;
  refuse(failure: Failure): void;
}

const refusal = () => new Failure('too_many_requests', { retry_after: 1 });

export function createHashQueue({ atOnce, ...sizes }: QueueSize = QUEUE_SIZE): HashQueue {
  const rooms: Record<RoomName, Room> = {
    open: createNetworkRoom(sizes.open),
    known: createAccountRoom(sizes.known),
    signed_in: createAccountRoom(sizes.signed_in),
  };
  const waitingAccounts = new Set<string>();
  let running = 0;
  let turns = 0;

  /** Passes the turn on directly, so that a new job cannot overtake a waiting one. */
  const passOn = () => {
    for (const name of TURNS[turns++ % TURNS.length] ?? []) {
      const job = rooms[name].take();
      if (job) return job.start();
    }
    running -= 1;
  };
  const wait = (place: Place) =>
    new Promise<void>((start, refuse) => rooms[place.room].add(place, { start, refuse }));
  const turnOf = async (place: Place): Promise<void> => {
    rooms[place.room].note(place);
    if (running < atOnce) running += 1;
    else if (place.room !== 'signed_in') await wait(place);
    else {
      const { person_id } = place;
      if (waitingAccounts.has(person_id)) throw refusal();
      waitingAccounts.add(person_id);
      await wait(place).finally(() => waitingAccounts.delete(person_id));
    }
  };

  return {
    async inTurn(place, work) {
      await turnOf(place);
      try {
        return await work();
      } finally {
        passOn();
      }
    },
  };
}

/** A network and the networks inside it. The innermost ones hold the jobs; empty ones are removed. */
interface Group {
  /** in the order of their turns */
  inside: Map<string, Group>;
  jobs: Job[];
  size: number;
}

interface Room {
  /** Call it for every job, waiting or not. */
  note(place: Place): void;
  add(place: Place, job: Job): void;
  take(): Job | undefined;
}

const personOf = (place: Place): string => (place.room === 'open' ? '' : place.person_id);

function createAccountRoom(most: number): Room {
  /** in the order of their arrival */
  const waiting: { person_id: string; job: Job }[] = [];
  const asked = createLatestAsks();
  const takeAt = (at: number): Job | undefined => waiting.splice(at, 1)[0]?.job;
  return {
    note: (place) => asked.note(personOf(place)),
    add(place, job) {
      waiting.push({ person_id: personOf(place), job });
      if (waiting.length <= most) return;
      const asks = waiting.map(({ person_id }) => asked.by(person_id));
      takeAt(asks.lastIndexOf(Math.max(...asks)))?.refuse(refusal());
    },
    take() {
      const asks = waiting.map(({ person_id }) => asked.by(person_id));
      return takeAt(asks.indexOf(Math.min(...asks)));
    },
  };
}

/** How many recent jobs a queue remembers, to compare how often people make requests. During a flood, they span seconds. */
const LATEST_ASKS = 4_096;

function createLatestAsks() {
  const latest: string[] = [];
  const counts = new Map<string, number>();
  const change = (person_id: string, by: 1 | -1) => {
    const n = (counts.get(person_id) ?? 0) + by;
    if (n > 0) counts.set(person_id, n);
    else counts.delete(person_id);
  };
  let next = 0;
  return {
    note(person_id: string): void {
      const oldest = latest[next];
      if (oldest !== undefined) change(oldest, -1);
      latest[next] = person_id;
      next = (next + 1) % LATEST_ASKS;
      change(person_id, 1);
    },
    by: (person_id: string): number => counts.get(person_id) ?? 0,
  };
}

const emptyGroup = (): Group => ({ inside: new Map(), jobs: [], size: 0 });

function createNetworkRoom(most: number): Room {
  const root = emptyGroup();
  return {
    note() {},
    add({ client: { networks } }, job) {
      let at = root;
      at.size += 1;
      for (const name of networks) {
        const inner = at.inside.get(name) ?? emptyGroup();
        at.inside.set(name, inner);
        at = inner;
        at.size += 1;
      }
      at.jobs.push(job);
      if (root.size > most) newestOfFullest(root, networks)?.refuse(refusal());
    },
    take: () => (root.size === 0 ? undefined : takeFrom(root)),
  };
}

/** Takes one job from the first network and moves that network to the end of the rotation. */
function takeFrom(network: Group): Job | undefined {
  network.size -= 1;
  const [turn] = network.inside;
  if (!turn) return network.jobs.shift();
  const [name, inner] = turn;
  network.inside.delete(name);
  if (inner.size > 1) network.inside.set(name, inner);
  return takeFrom(inner);
}

/** Among equally full networks, chooses the new job's network, so that the new job does not displace a waiting one. */
function newestOfFullest(network: Group, [newcomer, ...rest]: readonly string[]): Job | undefined {
  network.size -= 1;
  let [name, fullest] = [newcomer, newcomer === undefined ? undefined : network.inside.get(newcomer)];
  for (const [other, inner] of network.inside)
    if (!fullest || inner.size > fullest.size) [name, fullest] = [other, inner];
  if (name === undefined || !fullest) return network.jobs.pop();
  if (fullest.size === 1) network.inside.delete(name);
  return newestOfFullest(fullest, name === newcomer ? rest : []);
}
