import { setTimeout as after } from 'node:timers/promises';

/** The process clock. Expiry and money use the database clock instead (`clock_now()`). */
export interface Clock {
  now(): Date;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  async sleep(ms, signal) {
    await after(ms, undefined, { signal, ref: true }).catch(() => undefined);
  },
};

/** For durations within this process, in ms: never set back, with no date. Tests do not move it. */
export const monotonicMs = (): number => performance.now();
