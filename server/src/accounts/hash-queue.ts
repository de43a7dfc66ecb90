import { availableParallelism } from 'node:os';
import { Failure } from '../platform/http/failure.ts';
import type { Client } from './client.ts';

/**
 * Shares the hashing threads fairly. A few jobs run at once and a bounded number waits, in three rooms, so that a crowd in one
 * delays no job of another by more than its turns:
 *
 * - `known`: sign-ins from networks that the account knows. It has every second turn.
 * - `signed_in`: password checks of sessions, and used reset links. An account has at most one waiting job.
 * - `open`: everybody else.
 *
 * Inside a room, turns rotate among accounts (`known`) or among the widest networks, then the networks inside each, then the
 * accounts. If a room is full, the newest job of its fullest account or network is refused.
 */
export type Place = {
  client: Pick<Client, 'networks'>;
} & ({ room: 'open' } | { room: 'known' | 'signed_in'; account_id: string });

export interface HashQueue {
  /** Throws `too_many_requests` if the room is full, or if the account already has a waiting job in `signed_in`. */
  inTurn<T>(place: Place, work: () => Promise<T>): Promise<T>;
}

type RoomName = Place['room'];

interface QueueSize extends Record<RoomName, number> {
  /** jobs that run at once */
  atOnce: number;
}

/** Most waiting jobs of each room. One core is left to sends: a hash occupies one for a tenth of a second. */
export const QUEUE_SIZE: QueueSize = {
  atOnce: availableParallelism() > 2 ? 2 : 1,
  open: 64,
  known: 64,
  signed_in: 128,
};

/** Which room goes first in each turn. No room starves, and a known network waits for at most one job of the others. */
const TURNS: readonly (readonly RoomName[])[] = [
  ['known', 'signed_in', 'open'],
  ['open', 'known', 'signed_in'],
  ['known', 'open', 'signed_in'],
  ['signed_in', 'known', 'open'],
];

/** The nested groups that a room's turns rotate among, widest first. */
function groupsOf(place: Place): readonly string[] {
  const { networks } = place.client;
  if (place.room === 'open') return networks;
  return place.room === 'known' ? [place.account_id, ...networks] : [...networks, place.account_id];
}

interface Job {
  start(): void;
  refuse(failure: Failure): void;
}

const refusal = () => new Failure('too_many_requests', { retry_after: 1 });

export function createHashQueue({ atOnce, ...sizes }: QueueSize = QUEUE_SIZE): HashQueue {
  const rooms: Record<RoomName, Room> = {
    open: createRoom(sizes.open),
    known: createRoom(sizes.known),
    signed_in: createRoom(sizes.signed_in),
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
    new Promise<void>((start, refuse) => rooms[place.room].add(groupsOf(place), { start, refuse }));
  const turnOf = async (place: Place): Promise<void> => {
    if (running < atOnce) running += 1;
    else if (place.room !== 'signed_in') await wait(place);
    else {
      const { account_id } = place;
      if (waitingAccounts.has(account_id)) throw refusal();
      waitingAccounts.add(account_id);
      await wait(place).finally(() => waitingAccounts.delete(account_id));
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

/** A network or an account and the groups inside it. The innermost ones hold the jobs; empty ones are removed. */
interface Group {
  /** in the order of their turns */
  inside: Map<string, Group>;
  jobs: Job[];
  size: number;
}

interface Room {
  add(groups: readonly string[], job: Job): void;
  take(): Job | undefined;
}

const emptyGroup = (): Group => ({ inside: new Map(), jobs: [], size: 0 });

function createRoom(most: number): Room {
  const root = emptyGroup();
  return {
    add(groups, job) {
      let at = root;
      at.size += 1;
      for (const name of groups) {
        const inner = at.inside.get(name) ?? emptyGroup();
        at.inside.set(name, inner);
        at = inner;
        at.size += 1;
      }
      at.jobs.push(job);
      if (root.size > most) newestOfFullest(root, groups)?.refuse(refusal());
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

/** If several networks are equally full, the new job's network is chosen, so that the new job displaces no waiting one. */
function newestOfFullest(network: Group, [newcomer, ...rest]: readonly string[]): Job | undefined {
  network.size -= 1;
  let [name, fullest] = [newcomer, newcomer === undefined ? undefined : network.inside.get(newcomer)];
  for (const [other, inner] of network.inside)
    if (!fullest || inner.size > fullest.size) [name, fullest] = [other, inner];
  if (name === undefined || !fullest) return network.jobs.pop();
  if (fullest.size === 1) network.inside.delete(name);
  return newestOfFullest(fullest, name === newcomer ? rest : []);
}
