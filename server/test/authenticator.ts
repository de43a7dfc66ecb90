import {
  confirmAuthenticator,
  startAuthenticator,
} from '@sixdigit/contract/second-factors/second-factors.ts';
import { Secret, TOTP } from 'otpauth';
import { expect } from 'vitest';
import type { Person } from './person.ts';
import type { TestService } from './service.ts';

/** An authenticator app: it shows codes by the service's clock. */
export interface AuthenticatorApp {
  /** The current code, or the code some thirty-second steps later. */
  code(stepsLater?: number): string;
}

export function authenticatorApp(secret: string, nowMs: () => number): AuthenticatorApp {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return { code: (stepsLater = 0) => totp.generate({ timestamp: nowMs() + stepsLater * 30_000 }) };
}

/** Sets up an app for the person. This uses up the current code: the next one is `code(1)`. */
export async function withAuthenticator(
  service: TestService,
  { access: bearer }: Pick<Person, 'access'>,
): Promise<AuthenticatorApp & { used: string; recovery_codes: string[] }> {
  const begun = await service.call(startAuthenticator, { bearer });
  expect(begun.status).toBe(201);
  const app = authenticatorApp(begun.body.secret, () => service.app.clock.now().getTime());
  const used = app.code();
  const confirmed = await service.call(confirmAuthenticator, { bearer, body: { code: used } });
  expect(confirmed.status).toBe(200);
  return { ...app, used, recovery_codes: confirmed.body.recovery_codes ?? [] };
}
