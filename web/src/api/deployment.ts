import type { Deployment } from '#contract/deployment.ts';

let loaded: Deployment | undefined;

/** Reads `GET /config.json` once, before the first screen. Throws if the service is unreachable. */
export async function loadDeployment(): Promise<Deployment> {
  const answer = await fetch('/config.json', { headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`GET /config.json answered ${answer.status}`);
  loaded = (await answer.json()) as Deployment;
  return loaded;
}

/** The deployment's brand, API address and simulated parts. Loaded before any screen renders. */
export function deployment(): Deployment {
  if (!loaded) throw new Error('The deployment is read before the first screen');
  return loaded;
}
