import { type ComponentType, lazy } from 'react';
import { isServiceReachable } from '../api/connection.ts';
import { within } from '../api/waiting.ts';

const PROBE_MS = 3_000;
const LOAD_MS = 30_000;

type Module<Props> = { default: ComponentType<Props> };

/**
 * A part of a screen that loads without a user's action. If the service becomes unreachable meanwhile, the rest of the screen
 * stays, and the part loads when the service is back. What `loaded` returns is drawn immediately: even a resolved promise would
 * first draw the screen without it.
 */
export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loaded?: () => ComponentType<Props> | undefined,
) =>
  lazy(() => {
    const part = loaded?.();
    return part ? atOnce({ default: part }) : later(load);
  });

const later = async <Props>(load: () => Promise<ComponentType<Props>>): Promise<Module<Props>> => ({
  default: await loadWhenReachable(load),
});

/** React reads the module while it asks for it. */
const atOnce = <Props>(module: Module<Props>) =>
  // biome-ignore lint/suspicious/noThenProperty: a promise would call back later
  ({ then: (done: (module: Module<Props>) => void) => done(module) }) as Promise<Module<Props>>;

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
