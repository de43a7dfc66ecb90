import { nowMs } from './clock.ts';
import { within } from './waiting.ts';

/** Whether the service is reachable, judged by the results of calls. */
interface Connection {
  isOffline: boolean;
  /** time of the last response, in milliseconds */
  reachedAt: number;
}

let connection: Connection = { isOffline: false, reachedAt: nowMs() };
const listeners = new Set<() => void>();

function change(next: Connection): void {
  const isNews = next.isOffline !== connection.isOffline;
  connection = next;
  if (isNews) for (const listener of listeners) listener();
}

/** Call this after any response. A proxy answers 502 to 504 while the service behind it is down. */
export function noteResponse(status: number): void {
  if (status >= 502 && status <= 504) noteUnreachable();
  else change({ isOffline: false, reachedAt: nowMs() });
}

export const noteUnreachable = (): void => change({ ...connection, isOffline: true });

export const currentConnection = (): Connection => connection;

/** Calls back when the connection is lost or restored. Returns a function that unsubscribes. */
export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

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
