import { Secret, TOTP } from 'otpauth';

/** Codes of authenticator apps: RFC 6238 with SHA-1, six digits and thirty seconds, which is what every app supports. */
const PERIOD_SECONDS = 30;
/** Accepts the code before and after the current one (RFC 6238, 5.2), because clocks differ. */
const WINDOW = 1;
/** RFC 4226, section 4, recommends 160 bits. */
export const SECRET_BYTES = 20;

const totpOf = (secret: Buffer, names: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({
    ...names,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  });

/** The time step that the code belongs to; undefined if it is the code of none near `nowMs`. */
export function stepOfCode(secret: Buffer, code: string, nowMs: number): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta;
}

/** The address in the QR code, and the secret for people who type it. */
export function enrolmentOf(
  secret: Buffer,
  names: { issuer: string; label: string },
): { uri: string; secret: string } {
  const totp = totpOf(secret, names);
  return { uri: totp.toString(), secret: totp.secret.base32 };
}
