import type { BlockedPrefixes } from './question.ts';

/** Blocked prefixes by account and country, in memory. */
export interface BlockedPrefixStore extends BlockedPrefixes {
  /** A time that is not ahead ends the block. */
  set(block: { of: string; prefix: string; country: string; until: number }): void;
  /** Forgets blocks that are over. */
  clean(now: number): void;
}

export function blockedPrefixStore(): BlockedPrefixStore {
  const byCountry = new Map<string, Map<string, number>>();
  const byPrefix = new Map<string, number>();
  return {
    until(of, prefix, now) {
      const until = byPrefix.get(`${of} ${prefix}`);
      return until !== undefined && until > now ? until : undefined;
    },
    *within(of, country, now) {
      for (const entry of byCountry.get(`${of} ${country}`) ?? []) if (entry[1] > now) yield entry;
    },
    set({ of, prefix, country, until }) {
      byPrefix.set(`${of} ${prefix}`, until);
      const key = `${of} ${country}`;
      const some = byCountry.get(key) ?? new Map<string, number>();
      some.set(prefix, until);
      byCountry.set(key, some);
    },
    clean(now) {
      for (const [key, until] of byPrefix) if (until <= now) byPrefix.delete(key);
      for (const [key, some] of byCountry) {
        for (const [prefix, until] of some) if (until <= now) some.delete(prefix);
        if (some.size === 0) byCountry.delete(key);
      }
    },
  };
}
