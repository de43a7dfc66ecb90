/**
 * Limits work of one kind per account and per process. Other work waits in a queue that is fair to accounts, and the process
 * refuses work beyond the queue's end.
 */

import { Failure } from './http/failure.ts';

export interface FairSlots {
  /** Throws `too_many_requests` if too much work waits, or if `signal` aborts while this work waits. */
  run<T>(account_id: string, work: () => Promise<T>, options?: Options): Promise<T>;
}

interface Options {
  /** at most one of an account's running works may be a count */
  isCount?: boolean;
  signal?: AbortSignal | undefined;
}

interface Limits {
  anAccount: number;
  aProcess: number;
  waitingAnAccount: number;
  /** default: no limit over all accounts */
  waitingAProcess?: number;
}

interface Waiting {
  isCount: boolean;
  start: () => void;
}
interface Account {
  running: number;
  isCounting: boolean;
  waiting: Waiting[];
}

/** Throws what waiting work of a client throws that has disconnected. */
export function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw refusal();
}

const refusal = (): Failure => new Failure('too_many_requests', { retry_after: 1 });

export function fairSlots(limits: Limits): FairSlots {
  const { anAccount, aProcess, waitingAnAccount, waitingAProcess = Number.POSITIVE_INFINITY } = limits;
  const accounts = new Map<string, Account>();
  let running = 0;
  let waitingNow = 0;

  /** Removes the account's entry if it has no work. */
  const forget = (account_id: string): void => {
    const own = accounts.get(account_id);
    if (own?.running === 0 && own.waiting.length === 0) accounts.delete(account_id);
  };

  /**
   * Starts work of the account with the least running work. Among equals, the account whose last turn was longest ago goes
   * first.
   */
  const startNext = (): void => {
    const inTurn = [...accounts].sort(([, one], [, other]) => one.running - other.running);
    for (const [account_id, own] of inTurn) {
      if (running >= aProcess) return;
      if (own.running >= anAccount) continue;
      const at = own.waiting.findIndex(({ isCount }) => !isCount || !own.isCounting);
      const [next] = at === -1 ? [] : own.waiting.splice(at, 1);
      if (!next) continue;
      waitingNow -= 1;
      own.running += 1;
      own.isCounting ||= next.isCount;
      running += 1;
      accounts.delete(account_id);
      accounts.set(account_id, own);
      next.start();
    }
  };

  const enter = async (account_id: string, isCount: boolean, signal: AbortSignal | undefined) => {
    refuseIfAborted(signal);
    const own = accounts.get(account_id) ?? { running: 0, isCounting: false, waiting: [] };
    if (own.waiting.length >= waitingAnAccount || waitingNow >= waitingAProcess) throw refusal();
    accounts.set(account_id, own);
    await new Promise<void>((start, refuse) => {
      const waiting: Waiting = { isCount, start };
      own.waiting.push(waiting);
      waitingNow += 1;
      signal?.addEventListener('abort', () => {
        const at = own.waiting.indexOf(waiting);
        if (at === -1) return;
        own.waiting.splice(at, 1);
        waitingNow -= 1;
        forget(account_id);
        refuse(refusal());
      });
      startNext();
    });
  };

  const leave = (account_id: string, isCount: boolean): void => {
    const own = accounts.get(account_id);
    running -= 1;
    if (own) own.running -= 1;
    if (own && isCount) own.isCounting = false;
    forget(account_id);
    startNext();
  };

  return {
    async run(account_id, work, { isCount = false, signal } = {}) {
      await enter(account_id, isCount, signal);
      try {
        return await work();
      } finally {
        leave(account_id, isCount);
      }
    },
  };
}
