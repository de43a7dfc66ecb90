import type { LiveTopic } from '@sixdigit/contract/live.ts';
import { signal } from './signal.ts';

/**
 * How the lists are kept up to date: by events (`live`), by refetching every few seconds while there is no stream (`polling`), or not
 * yet (`connecting`).
 */
export type LiveState = 'connecting' | 'live' | 'polling';

export const liveState = signal<LiveState>('connecting');
const changeListeners = new Set<(topics: readonly LiveTopic[]) => void>();

/** Calls back when rows of these lists are added or changed. Returns a function that unsubscribes. */
export function onLiveChange(listener: (topics: readonly LiveTopic[]) => void): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

export function noteChange(topics: readonly LiveTopic[]): void {
  for (const listener of changeListeners) listener(topics);
}

/** For `refetchInterval`. With events it is rare, and only finds changes to old rows or to rows far down the list. */
export const refetchEvery = (pollingMs: number) => (): number =>
  liveState.get() === 'live' ? 30_000 : pollingMs;
