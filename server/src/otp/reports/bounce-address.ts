import { timingSafeEqual } from 'node:crypto';
import type { Needs } from '../../platform/platform.ts';
import { isUuid, timeOfUuid } from '../../platform/security/random.ts';
import { uuidOfHex } from './report-reference.ts';

/**
 * The envelope sender of a message over SMTP, to which mail servers return it. Its token names the verification and proves that Sixdigit
 * made it for this carrier. The local part has 63 of at most 64 characters (RFC 5321, 4.5.3.1.1), in one case because mail servers may
 * change it. The recipient can read it, so it proves only that somebody received the message.
 */
const PURPOSE = 'bounce-address';
const PROOF_BYTES = 12;
/** Mail servers give up after five days (RFC 5321, 4.5.4.1). */
const LIFE_MS = 7 * 24 * 3_600_000;

const proofsOf = ({ vault }: Needs<'vault'>, carrier: string, otp_id: string): Buffer[] =>
  vault.fingerprints(PURPOSE, `${carrier} ${otp_id}`).map((proof) => proof.subarray(0, PROOF_BYTES));

export function bounceAddress(app: Needs<'vault'>, carrier: string, otp_id: string, domain: string): string {
  const [proof] = proofsOf(app, carrier, otp_id);
  return `bounce+${otp_id.replaceAll('-', '')}${proof?.toString('hex')}@${domain}`;
}

/** Finds the message whose bounce address is in a text. Undefined if the text contains no bounce address. */
export function readBounceAddress(
  app: Needs<'vault' | 'clock'>,
  carrier: string,
  text: string,
): { otp_id: string } | 'forged_token' | 'expired_token' | undefined {
  const token = /(?<![\w.+-])bounce\+([^@\s<>]{0,64})@/i.exec(text)?.[1];
  if (token === undefined) return undefined;
  const [, id = '', given = ''] = /^([0-9a-f]{32})([0-9a-f]{24})$/.exec(token.toLowerCase()) ?? [];
  const otp_id = uuidOfHex(id);
  if (!isUuid(otp_id)) return 'forged_token';
  const bytes = Buffer.from(given, 'hex');
  if (!proofsOf(app, carrier, otp_id).some((proof) => timingSafeEqual(proof, bytes))) return 'forged_token';
  return app.clock.now().getTime() - timeOfUuid(otp_id) > LIFE_MS ? 'expired_token' : { otp_id };
}
