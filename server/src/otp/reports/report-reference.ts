import { timingSafeEqual } from 'node:crypto';
import type { Needs } from '../../platform/platform.ts';

/**
 * Names a message to its carrier: the ids of verification and account, and a proof that only we can make. A carrier returns it in the
 * address or the body of its reports. 62 characters, because some companies take 64.
 */
export interface Named {
  account_id: string;
  otp_id: string;
}

const PURPOSE = 'carrier-report';
const ID_BYTES = 16;
const PROOF_BYTES = 14;

const idsOf = ({ otp_id, account_id }: Named): Buffer =>
  Buffer.from(`${otp_id}${account_id}`.replaceAll('-', ''), 'hex');

const signed = (carrier: string, ids: Buffer): string => `${carrier} ${ids.toString('hex')}`;

export function reportReference({ vault }: Needs<'vault'>, carrier: string, named: Named): string {
  const ids = idsOf(named);
  const proof = vault.fingerprint(PURPOSE, signed(carrier, ids)).subarray(0, PROOF_BYTES);
  return Buffer.concat([ids, proof]).toString('base64url');
}

/** Undefined unless the reference is ours and was made for this carrier. */
export function readReference({ vault }: Needs<'vault'>, carrier: string, text: string): Named | undefined {
  if (!/^[\w-]{62}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const [ids, given] = [bytes.subarray(0, 2 * ID_BYTES), bytes.subarray(2 * ID_BYTES)];
  const isOurs = vault
    .fingerprints(PURPOSE, signed(carrier, ids))
    .some((proof) => timingSafeEqual(proof.subarray(0, PROOF_BYTES), given));
  return isOurs ? { otp_id: uuidOf(ids, 0), account_id: uuidOf(ids, ID_BYTES) } : undefined;
}

const uuidOf = (bytes: Buffer, from: number): string =>
  uuidOfHex(bytes.subarray(from, from + ID_BYTES).toString('hex'));

export const uuidOfHex = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
