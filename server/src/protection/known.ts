import { KNOWN_SENDS_PER_DAY, NEWLY_KNOWN_PER_PREFIX } from '@sixdigit/contract/protection/known.ts';
import type { Rule } from '@sixdigit/contract/protection/protection.ts';
import type { Needs } from '../platform/platform.ts';
import { inDay, type Series } from './series.ts';

/** A recipient of whom a code was verified, or that its account imported. */
export interface KnownRecipient {
  /** the day of the latest of both, in UTC */
  known_on: string;
  /** when the first code was verified, in ms since 1970; null if none was */
  verified_ms: number | null;
  is_imported: boolean;
}

/**
 * Why a known recipient passes. An import is its account's own statement, like an allow list, so it passes only the account's own
 * rules, and the rules over all accounts count its sends. A code that was verified here passes both.
 */
export const KNOWN = ['verified', 'imported'] as const;
export type Known = (typeof KNOWN)[number];

/**
 * The rules about what others did. The number of sends and of failures of a client concern whoever requests the code, and `country` is
 * the account's own list.
 */
export const PASSED_BY_KNOWN: ReadonlySet<Rule> = new Set([
  'prefix_velocity',
  'client_countries',
  'prefix_conversion',
  'country_unverified',
]);

/** One recipient under several server keys. */
export const mergedKnown = (rows: readonly KnownRecipient[]): KnownRecipient => {
  const times = rows.flatMap(({ verified_ms }) => verified_ms ?? []);
  return {
    known_on: rows.map(({ known_on }) => known_on).reduce((one, other) => (one > other ? one : other)),
    verified_ms: times.length > 0 ? Math.min(...times) : null,
    is_imported: rows.some(({ is_imported }) => is_imported),
  };
};

const DAY_MS = 86_400_000;

/** The recipient, if it is known long enough and few codes were sent to it. */
export function passingRecipient(
  known: KnownRecipient | undefined,
  { known_days, sends_today, now_ms }: { known_days: number; sends_today: number; now_ms: number },
): KnownRecipient | undefined {
  if (!known || sends_today >= KNOWN_SENDS_PER_DAY || !isKnown(known, known_days, now_ms)) return undefined;
  return known;
}

export const isKnown = ({ known_on }: KnownRecipient, known_days: number, now_ms: number): boolean =>
  known_days > 0 && Date.parse(known_on) >= dayOf(now_ms) - known_days * DAY_MS;

const dayOf = (ms: number): number => ms - (ms % DAY_MS);

/**
 * An attacker can verify numbers of their own and then request codes for them, so numbers that have just become known do not pass
 * in a prefix with many of them. `ofPrefix` is the account's.
 */
export function knownAs(
  { verified_ms, is_imported }: KnownRecipient,
  ofPrefix: Series | undefined,
  { now_ms, now }: { now_ms: number; now: number },
): Known | undefined {
  const isVerified =
    verified_ms !== null &&
    (verified_ms <= now_ms - DAY_MS || inDay(ofPrefix, 'verified', now) <= NEWLY_KNOWN_PER_PREFIX);
  if (isVerified) return 'verified';
  return is_imported ? 'imported' : undefined;
}

const PURPOSE = 'recipient-sends';
const HASH_BYTES = 16;

/** Identifies a recipient across all accounts, for limits that remain after its erasure: 128 bits of a keyed hash. */
export const recipientHash = ({ vault }: Needs<'vault'>, recipient: string): Buffer =>
  vault.fingerprint(PURPOSE, recipient).subarray(0, HASH_BYTES);

/** Under the current server key, and then under the previous ones. */
export const recipientHashes = ({ vault }: Needs<'vault'>, recipient: string): Buffer[] =>
  vault.fingerprints(PURPOSE, recipient).map((hash) => hash.subarray(0, HASH_BYTES));
