import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import { refuseIfAborted } from '../fair-slots.ts';

/** How long a slice may delay other requests. */
const SLICE_MS = 5;
/** Leaves at least two thirds of the processor to requests. */
const PAUSE_MS = 10;

/**
 * Runs long computation in short slices, so that the process keeps serving requests. The generator yields often.
 * Throws `too_many_requests` if the signal aborts.
 */
export async function inSlices<T>(steps: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  let sinceMs = monotonicMs();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (monotonicMs() - sinceMs < SLICE_MS) continue;
    await sleep(PAUSE_MS);
    refuseIfAborted(signal);
    sinceMs = monotonicMs();
  }
}
