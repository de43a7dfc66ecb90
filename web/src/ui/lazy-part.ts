import { type ComponentType, lazy } from 'react';
import { isServiceReachable } from '../api/connection.ts';
import { within } from '../api/waiting.ts';

const PROBE_MS = 3_000;
const LOAD_MS = 30_000;

/**
 * A part of a screen that loads without a user's action. If the service becomes unreachable meanwhile, the rest of the screen
 * stays, and the part loads when the service is back.
 */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadWhenReachable(load) }));

/**
 * Waits while the service is unreachable. Throws `load`'s error after two failures with a reachable service: one failure may
 * come from a connection that recovered before the check.
 */
export async function loadWhenReachable<T>(
  load: () => Promise<T>,
  isReachable: () => Promise<boolean> = isServiceReachable,
  pauseMs = PROBE_MS,
): Promise<T> {
  for (let failures = 0; ; )
    try {
      return await within(LOAD_MS, load);
    } catch (error) {
      if (await isReachable()) {
        failures += 1;
        if (failures === 2) throw error;
        continue;
      }
      do await new Promise((resolve) => setTimeout(resolve, pauseMs));
      while (!(await isReachable()));
    }
}
