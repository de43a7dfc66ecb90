import { type ComponentType, lazy } from 'react';
import { isServiceReachable } from '../api/connection.ts';
import { within } from '../api/waiting.ts';

const PROBE_MS = 3_000;
const LOAD_MS = 30_000;

/**
 * A part that a screen shows without being asked. If the service is lost while its code loads, the rest of the screen stays, and the
 * part follows when the service is back.
 */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadWhenReachable(load) }));

/**
 * Waits for the service if it cannot be reached. Throws the error of `load` if it fails twice while the service can be reached: once
 * may be a connection that came back before it was asked about.
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
