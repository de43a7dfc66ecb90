import { useSyncExternalStore } from 'react';

/** A value of the whole tab, for code outside React's tree, such as calls. Components follow it. */
export interface Signal<T> {
  get: () => T;
  set: (next: T) => void;
  /** Calls back after each change. Returns a function that unsubscribes. */
  follow: (listener: () => void) => () => void;
  isFollowed: () => boolean;
}

export function signal<T>(initial: T): Signal<T>;
export function signal<T>(): Signal<T | undefined>;
export function signal<T>(initial?: T): Signal<T | undefined> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    follow: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isFollowed: () => listeners.size > 0,
  };
}

export const useSignal = <T>({ follow, get }: Signal<T>): T => useSyncExternalStore(follow, get);
