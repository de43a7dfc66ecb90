import { Failure } from '../platform/http/failure.ts';
import type { Client } from './client.ts';

/**
 * Who gets to use the hashing threads. A few jobs run at once and a bounded number waits; turns go round the networks,
 * first the widest, then those inside them, so that a network gets no more than its siblings however many addresses it
 * has. When the queue is full, the newest job of the fullest network is refused. Jobs for accounts that know the
 * caller's network wait in a room of their own and go first, three times out of four.
 */
export interface Place {
  client: Pick<Client, 'networks'>;
  /** The account knows this network, or the caller has proven the right to be here. */
  isKnown: boolean;
}

export interface HashQueue {
  /** Throws `too_many_requests` where too many wait. */
  inTurn<T>(place: Place, work: () => Promise<T>): Promise<T>;
}

interface QueueSize {
  /** jobs that run at once */
  atOnce: number;
  /** jobs that wait at most, from networks that their accounts do not know */
  open: number;
  /** the same from known networks */
  known: number;
}

export const QUEUE_SIZE: QueueSize = { atOnce: 2, open: 64, known: 64 };
/** Every so many turns the open room goes first, so that it never starves. */
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
  /** The turn passes on directly, so that no newcomer slips in between. */
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

/** A network and those inside it; the jobs are in the innermost. Empty ones are removed. */
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

/** The first network in turn gives one job and goes to the end of the round. */
function takeFrom(network: Network): Job | undefined {
  network.size -= 1;
  const [turn] = network.inside;
  if (!turn) return network.jobs.shift();
  const [name, inner] = turn;
  network.inside.delete(name);
  if (inner.size > 1) network.inside.set(name, inner);
  return takeFrom(inner);
}

/** Where several are equally full, the newcomer's own: it must not displace a job that has waited. */
function newestOfFullest(network: Network, [newcomer, ...rest]: readonly string[]): Job | undefined {
  network.size -= 1;
  let [name, fullest] = [newcomer, newcomer === undefined ? undefined : network.inside.get(newcomer)];
  for (const [other, inner] of network.inside)
    if (!fullest || inner.size > fullest.size) [name, fullest] = [other, inner];
  if (name === undefined || !fullest) return network.jobs.pop();
  if (fullest.size === 1) network.inside.delete(name);
  return newestOfFullest(fullest, name === newcomer ? rest : []);
}
