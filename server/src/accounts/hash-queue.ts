import { availableParallelism } from 'node:os';
import { Failure } from '../platform/http/failure.ts';
import type { Client } from './client.ts';

/**
 * Shares the hashing threads fairly. A few jobs run at once and a bounded number waits. Turns rotate among the widest networks,
 * then among the networks inside each, so that many addresses do not give a network more turns than its siblings. When the queue
 * is full, the newest job of the fullest network is refused. Jobs from known networks wait in a separate queue, which goes first
 * in three of four turns.
 */
export interface Place {
  client: Pick<Client, 'networks'>;
  /** The account signed in from this network before, or the caller has proven its identity. */
  isKnown: boolean;
}

export interface HashQueue {
  /** Throws `too_many_requests` if the queue is full. */
  inTurn<T>(place: Place, work: () => Promise<T>): Promise<T>;
}

interface QueueSize {
  /** jobs that run at once */
  atOnce: number;
  /** most waiting jobs from unknown networks */
  open: number;
  /** most waiting jobs from known networks */
  known: number;
}

/** One core is left to sends: a hash occupies one for a tenth of a second. */
export const QUEUE_SIZE: QueueSize = {
  atOnce: availableParallelism() > 2 ? 2 : 1,
  open: 64,
  known: 64,
};
/** In every fourth turn the open queue goes first, so that it does not starve. */
const OPEN_TURN = 4;

interface Job {
  start(): void;
  refuse(failure: Failure): void;
}

export function createHashQueue(size: QueueSize = QUEUE_SIZE): HashQueue {
  const [open, known] = [createRoom(size.open), createRoom(size.known)];
  let running = 0;
  let turns = 0;

  const next = (): Job | undefined => {
    turns += 1;
    return turns % OPEN_TURN === 0 ? (open.take() ?? known.take()) : (known.take() ?? open.take());
  };
  /** Passes the turn on directly, so that a new job cannot overtake a waiting one. */
  const passOn = () => {
    const job = next();
    if (job) job.start();
    else running -= 1;
  };

  return {
    async inTurn({ client, isKnown }, work) {
      if (running < size.atOnce) running += 1;
      else
        await new Promise<void>((start, refuse) => {
          (isKnown ? known : open).add(client.networks, { start, refuse });
        });
      try {
        return await work();
      } finally {
        passOn();
      }
    },
  };
}

/** A network and the networks inside it. The innermost ones hold the jobs; empty networks are removed. */
interface Network {
  /** in the order of their turns */
  inside: Map<string, Network>;
  jobs: Job[];
  size: number;
}

interface Room {
  add(networks: readonly string[], job: Job): void;
  take(): Job | undefined;
}

const emptyNetwork = (): Network => ({ inside: new Map(), jobs: [], size: 0 });

function createRoom(most: number): Room {
  const root = emptyNetwork();
  return {
    add(networks, job) {
      let at = root;
      at.size += 1;
      for (const name of networks) {
        const inner = at.inside.get(name) ?? emptyNetwork();
        at.inside.set(name, inner);
        at = inner;
        at.size += 1;
      }
      at.jobs.push(job);
      if (root.size > most)
        newestOfFullest(root, networks)?.refuse(new Failure('too_many_requests', { retry_after: 1 }));
    },
    take: () => (root.size === 0 ? undefined : takeFrom(root)),
  };
}

/** Takes one job from the first network and moves that network to the end of the rotation. */
function takeFrom(network: Network): Job | undefined {
  network.size -= 1;
  const [turn] = network.inside;
  if (!turn) return network.jobs.shift();
  const [name, inner] = turn;
  network.inside.delete(name);
  if (inner.size > 1) network.inside.set(name, inner);
  return takeFrom(inner);
}

/** If several networks are equally full, the new job's network is chosen, so that the new job displaces no waiting one. */
function newestOfFullest(network: Network, [newcomer, ...rest]: readonly string[]): Job | undefined {
  network.size -= 1;
  let [name, fullest] = [newcomer, newcomer === undefined ? undefined : network.inside.get(newcomer)];
  for (const [other, inner] of network.inside)
    if (!fullest || inner.size > fullest.size) [name, fullest] = [other, inner];
  if (name === undefined || !fullest) return network.jobs.pop();
  if (fullest.size === 1) network.inside.delete(name);
  return newestOfFullest(fullest, name === newcomer ? rest : []);
}
