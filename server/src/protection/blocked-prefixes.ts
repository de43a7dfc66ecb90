import type { BlockedPrefixes, BlockedShare } from './question.ts';

/** Blocked prefixes by account and country, in memory. */
export interface BlockedPrefixStore extends BlockedPrefixes {
  /** A time in the past ends the block. */
  set(block: { of: string; prefix: string; country: string; until: number }): void;
  /** Forgets blocks that are over. */
  clean(now: number): void;
}

interface Blocked {
  prefixes: Map<string, number>;
  /** the sum of this minute */
  share: BlockedShare & { now: number };
  /** prefixes that the sum does not contain yet */
  added: string[];
}

const noShare = (now: number) => ({ now, day: 0, hour: 0, recent: 0 });

export function blockedPrefixStore(): BlockedPrefixStore {
  const byCountry = new Map<string, Blocked>();
  const byPrefix = new Map<string, number>();
  const sumAnew = (blocked: Blocked, now: number): void => {
    blocked.share = noShare(now);
    blocked.added = [...blocked.prefixes.keys()];
  };
  return {
    until(of, prefix, now) {
      const until = byPrefix.get(`${of} ${prefix}`);
      return until !== undefined && until > now ? until : undefined;
    },
    share(of, country, now, add) {
      const blocked = byCountry.get(`${of} ${country}`);
      if (!blocked) return noShare(now);
      if (blocked.share.now !== now) sumAnew(blocked, now);
      for (const prefix of blocked.added) {
        const until = blocked.prefixes.get(prefix) ?? 0;
        if (until > now) add(blocked.share, prefix, until);
      }
      blocked.added = [];
      return blocked.share;
    },
    set({ of, prefix, country, until }) {
      byPrefix.set(`${of} ${prefix}`, until);
      const key = `${of} ${country}`;
      const blocked: Blocked = byCountry.get(key) ?? { prefixes: new Map(), share: noShare(-1), added: [] };
      const before = blocked.prefixes.get(prefix);
      blocked.prefixes.set(prefix, until);
      byCountry.set(key, blocked);
      if (before === undefined) blocked.added.push(prefix);
      else if (before !== until) sumAnew(blocked, blocked.share.now);
    },
    clean(now) {
      for (const [key, until] of byPrefix) if (until <= now) byPrefix.delete(key);
      for (const [key, { prefixes }] of byCountry) {
        for (const [prefix, until] of prefixes) if (until <= now) prefixes.delete(prefix);
        if (prefixes.size === 0) byCountry.delete(key);
      }
    },
  };
}
