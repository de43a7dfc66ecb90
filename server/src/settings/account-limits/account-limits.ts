import { AccountLimits, NO_LIMITS } from '@sixdigit/contract/operator/limits.ts';
import type { LiveSettings } from '../live-settings/live-settings.ts';

/**
 * Limits that operators set for individual accounts. Each account's limits are one live setting, so that they apply in every
 * process within a second and have a complete history.
 */
export const limitsName = (account_id: string): string => `account_limits:${account_id}`;

export interface LimitsOfAccounts {
  /** Undefined if the account has no limits of its own. */
  of(account_id: string): AccountLimits | undefined;
}

export function createAccountLimits(live: Pick<LiveSettings, 'value'>): LimitsOfAccounts {
  const parsed = new WeakMap<object, AccountLimits>();
  return {
    of(account_id) {
      const stored = live.value(limitsName(account_id));
      if (typeof stored !== 'object' || stored === null) return undefined;
      const known = parsed.get(stored) ?? limitsOf(stored);
      parsed.set(stored, known);
      return known;
    },
  };
}

/** Stored limits; a missing or invalid field means no limit. */
export const limitsOf = (stored: unknown): AccountLimits =>
  AccountLimits.safeParse({ ...NO_LIMITS, ...(typeof stored === 'object' ? stored : {}) }).data ?? NO_LIMITS;

/** The lower of two limits; null means no limit. */
export const lower = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other);
