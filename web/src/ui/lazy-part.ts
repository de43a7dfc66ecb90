import { type ComponentType, lazy } from 'react';
import { isServiceReachable } from '../api/connection.ts';

const PROBE_MS = 3_000;

/**
 * A part that a screen shows without being asked. If the service is lost while its code loads, the rest of the screen stays, and the
 * part follows when the service is back.
 */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadWhenReachable(load) }));

/** Throws the error of `load` if the service can be reached nevertheless. */
export async function loadWhenReachable<T>(
  load: () => Promise<T>,
  isReachable: () => Promise<boolean> = isServiceReachable,
  pauseMs = PROBE_MS,
): Promise<T> {
  for (;;)
    try {
      return await load();
    } catch (error) {
      if (await isReachable()) throw error;
      do await new Promise((resolve) => setTimeout(resolve, pauseMs));
      while (!(await isReachable()));
    }
}
