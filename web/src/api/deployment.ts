import type { Deployment } from '@sixdigit/contract/deployment.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { earlyConfig } from './early.ts';
import { signal } from './signal.ts';
import { within } from './waiting.ts';

const LOAD_MS = 15_000;
/** As often as the user, so that a carrier added or deleted in the console shows in open tabs. */
const REFETCH_MS = 30_000;

const loaded = signal<Deployment>();

/** Reads `GET /config.json`: before the first screen, and again while the page is open. Throws if the service is unreachable. */
export async function loadDeployment(): Promise<Deployment> {
  const next = await within(LOAD_MS, async (signal) => {
    const answer = await (earlyConfig() ??
      fetch('/config.json', { headers: { accept: 'application/json' }, signal }));
    if (!answer.ok) throw new Error(`GET /config.json answered ${answer.status}`);
    return (await answer.json()) as Deployment;
  });
  loaded.set(next);
  return next;
}

/** The deployment's brand, API address and simulated parts. Loaded before any screen renders. */
export function deployment(): Deployment {
  const now = loaded.get();
  if (!now) throw new Error('The deployment is read before the first screen');
  return now;
}

const query = queryOptions({
  queryKey: ['deployment'],
  queryFn: loadDeployment,
  refetchInterval: REFETCH_MS,
  staleTime: REFETCH_MS,
});

/** The same, for a component that is drawn again when it changes. */
export const useDeployment = (): Deployment => useQuery({ ...query, initialData: deployment }).data;
