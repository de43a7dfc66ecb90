import { timingSafeEqual } from 'node:crypto';
import type { Needs } from '../../platform/platform.ts';

/** The secret in the address for reports and texts of a carrier that signs nothing. Only the operators and the carrier know it. */
const PURPOSE = 'carrier-address';
const BYTES = 18;

export const addressKey = ({ vault }: Needs<'vault'>, carrier: string): string =>
  vault.fingerprint(PURPOSE, carrier).subarray(0, BYTES).toString('base64url');

export function hasAddressKey({ vault }: Needs<'vault'>, carrier: string, given: unknown): boolean {
  if (typeof given !== 'string' || !/^[\w-]{24}$/.test(given)) return false;
  const bytes = Buffer.from(given, 'base64url');
  return vault.fingerprints(PURPOSE, carrier).some((key) => timingSafeEqual(key.subarray(0, BYTES), bytes));
}
