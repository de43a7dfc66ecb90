import { nowMs } from './clock.ts';
import { signal } from './signal.ts';
import { within } from './waiting.ts';

/** Whether the service is unreachable, judged by the results of calls. */
export const offline = signal(false);
/** The time of the last response, in milliseconds. */
export const reached = signal(nowMs());

/** Call this after any response. A proxy answers 502 to 504 while the service behind it is down. */
export function noteResponse(status: number): void {
  const isDown = status >= 502 && status <= 504;
  if (!isDown) reached.set(nowMs());
  offline.set(isDown);
}

export const noteUnreachable = (): void => offline.set(true);

const PROBE_MS = 5_000;

/** Fetches the service's smallest document. */
export async function isServiceReachable(): Promise<boolean> {
  const asked = within(PROBE_MS, (signal) => fetch('/config.json', { cache: 'no-store', signal }));
  const answer = await asked.catch(() => undefined);
  return answer?.ok ?? false;
}

/** Reloads the page if the service responds. Otherwise the browser's error page would replace it. */
export async function reloadPage(
  isReachable: () => Promise<boolean> = isServiceReachable,
  reload: () => void = () => window.location.reload(),
): Promise<void> {
  if (await isReachable()) reload();
}
