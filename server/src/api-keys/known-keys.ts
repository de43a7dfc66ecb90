import { limitSize } from '../platform/limit-size.ts';
import type { AskedKey, KnownCaller } from './admission.ts';
import { hashOfKey } from './key.ts';

/**
 * Keys that were used lately, with the caller that the database described last. No request is accepted because of them: with each
 * one, the database says whether the description is still true.
 */
export interface KnownKeys {
  find(key: string): AskedKey;
  note(key: string, caller: KnownCaller): void;
  forget(key: string): void;
}

/** Bounds memory. The oldest entries leave first. */
const KEYS_MAX = 10_000;

export function knownKeys(): KnownKeys {
  const keys = new Map<string, AskedKey>();
  return {
    find: (key) => keys.get(key) ?? { hash: hashOfKey(key), known: undefined },
    note(key, { version, caller }) {
      const before = keys.get(key);
      if (before?.known?.version === version) return;
      keys.set(key, { hash: before?.hash ?? hashOfKey(key), known: { version, caller } });
      limitSize(keys, KEYS_MAX);
    },
    forget(key) {
      keys.delete(key);
    },
  };
}
