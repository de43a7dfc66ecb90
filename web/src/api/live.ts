import type { LiveTopic } from '@sixdigit/contract/live.ts';

/**
 * How the lists are kept up to date: by events (`live`), by refetching every few seconds while there is no stream (`polling`), or not
 * yet (`connecting`).
 */
export type LiveState = 'connecting' | 'live' | 'polling';

let state: LiveState = 'connecting';
const stateListeners = new Set<() => void>();
const changeListeners = new Set<(topics: readonly LiveTopic[]) => void>();

export const liveState = (): LiveState => state;

export function setLiveState(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of stateListeners) listener();
}

/** Returns a function that unsubscribes. */
export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}

/** Calls back when rows of these lists are added or changed. Returns a function that unsubscribes. */
export function onLiveChange(listener: (topics: readonly LiveTopic[]) => void): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

export function noteChange(topics: readonly LiveTopic[]): void {
  for (const listener of changeListeners) listener(topics);
}

/** For `refetchInterval`. With events it is rare, and only finds changes to old rows or to rows far down the list. */
export const refetchEvery = (pollingMs: number) => (): number => (state === 'live' ? 30_000 : pollingMs);
