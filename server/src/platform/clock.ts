import { setTimeout as after } from 'node:timers/promises';

/** The process clock. Expiry and money use the database clock instead (`clock_now()`). */
export interface Clock {
  now(): Date;
  /** Resolves after `ms`, or as soon as the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  async sleep(ms, signal) {
    await after(ms, undefined, { signal, ref: true }).catch(() => undefined);
  },
};

/** A monotonic time in ms, for measuring durations in this process. It is not a date, and tests do not shift it. */
export const monotonicMs = (): number => performance.now();
