/** What the streams of a process have in common: one poll of the database for all of them, and when their clients come back. */

import { LIVE_HEARTBEAT_SECONDS } from '@sixdigit/contract/live.ts';
import { monotonicMs } from '../clock.ts';
import type { Needs } from '../platform.ts';
import { jitter } from '../security/random.ts';

const POLL_MS = 1_000;
const HEARTBEAT_MS = LIVE_HEARTBEAT_SECONDS * 1_000;
/** Clients of a stopping process reconnect after about this time, with jitter. */
const RECONNECT_MS = 2_500;
/** The time after which a refused client, or one whose stream was replaced, comes back. */
export const RETRY_SECONDS = 60;

export const reconnectMs = (random: Needs<'random'>['random']): number =>
  Math.round(RECONNECT_MS * jitter(random, 0.6));

export const returnMs = (random: Needs<'random'>['random']): number =>
  Math.round(RETRY_SECONDS * 1_000 * jitter(random, 0.6));

/** Tells at each poll whether the heartbeat of the streams is due. */
export function createHeartbeat(): (nowMs: number) => boolean {
  let beatMs = 0;
  return (nowMs) => {
    if (nowMs - beatMs < HEARTBEAT_MS - POLL_MS) return false;
    beatMs = nowMs;
    return true;
  };
}

interface Polled {
  poll(): Promise<void>;
  isListened(): boolean;
  onError(error: unknown): void;
}

interface Polling {
  /** Polls once a second from now on, until nobody listens. */
  start(): void;
  stop(): void;
}

/** Pauses nine times as long as a poll took, so that polling uses at most a tenth of one connection's time. */
export function createPolling({ poll, isListened, onError }: Polled): Polling {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const schedule = (pauseMs: number): void => {
    timer = setTimeout(() => {
      const startedMs = monotonicMs();
      poll()
        .catch(onError)
        .finally(() => {
          timer = undefined;
          if (isListened() && !isStopped) schedule(Math.max(POLL_MS, (monotonicMs() - startedMs) * 9));
        });
    }, pauseMs);
    timer.unref();
  };
  return {
    start() {
      if (!timer) schedule(POLL_MS);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
