import { z } from 'zod';
import { optionalTime, REQUIRED, time, verificationCode } from '../field.ts';
import { route } from '../route.ts';
import { Passkey } from './passkeys.ts';

export { SECOND_FACTORS, type SecondFactor } from './names.ts';

const own = { tag: 'account', auth: 'person' } as const;
const recovery_codes = z
  .array(z.string())
  .meta({ description: 'Ten single-use codes, returned only in this response' });

export const SecondFactors = z.object({
  passkeys: z.array(Passkey),
  authenticator: z
    .object({ created_at: time, last_used_at: optionalTime })
    .nullable()
    .meta({ description: 'The authenticator app of the account' }),
  recovery_codes_left: z.number().int(),
});
export type SecondFactors = z.infer<typeof SecondFactors>;

export const getSecondFactors = route('GET /profile/second-factors/', {
  ...own,
  name: 'getSecondFactors',
  summary: 'Passkeys, authenticator app and recovery codes of the account',
  reply: SecondFactors,
});

export const startAuthenticator = route('POST /profile/authenticator/', {
  ...own,
  name: 'startAuthenticator',
  ownProof: true,
  stepUp: true,
  summary: 'Start the setup of an authenticator app',
  description:
    'The app can be used to sign in once its first code has been entered, within 30 minutes. Repeating the call starts over with a new secret.',
  status: 201,
  reply: z.object({
    secret: z.string().meta({ description: 'Base32, to type into the app' }),
    uri: z.string().meta({ description: 'otpauth: URI, the content of the QR code' }),
  }),
  failures: ['authenticator_exists'],
});

export const confirmAuthenticator = route('POST /profile/authenticator/confirm/', {
  ...own,
  name: 'confirmAuthenticator',
  ownProof: true,
  stepUp: true,
  summary: 'Confirm the authenticator app with its first code',
  description: 'Adding the first app or passkey of an account also creates its recovery codes.',
  body: z.object({ code: verificationCode }),
  reply: z.object({ recovery_codes: recovery_codes.nullable() }),
  failures: ['invalid_verification_code'],
});

export const removeAuthenticator = route('DELETE /profile/authenticator/', {
  ...own,
  name: 'removeAuthenticator',
  ownProof: true,
  stepUp: true,
  summary: 'Remove the authenticator app',
  failures: ['not_found'],
});

export const createRecoveryCodes = route('POST /profile/recovery-codes/', {
  ...own,
  name: 'createRecoveryCodes',
  ownProof: true,
  stepUp: true,
  summary: 'Replace the recovery codes; the earlier ones stop working',
  status: 201,
  reply: z.object({ recovery_codes }),
  failures: ['no_second_factor'],
});

// ── the second step of a sign-in ──

const step = { tag: 'auth', auth: 'none' } as const;
const session_token = z.string().min(1, REQUIRED).max(200);
const Tokens = z.object({ access: z.string(), refresh: z.string() });

export const RecoveryCodeBody = z.object({
  session_token,
  recovery_code: z.string().trim().min(1, REQUIRED).max(200, 'At most 200 characters'),
});
export const verifyRecoveryCode = route('POST /auth/verify-recovery-code', {
  ...step,
  name: 'verifyRecoveryCode',
  summary: 'Complete a sign-in with a recovery code',
  body: RecoveryCodeBody,
  reply: Tokens,
  failures: ['invalid_session_token', 'invalid_recovery_code', 'code_entry_locked', 'too_many_requests'],
});

export const sendSignInCode = route('POST /auth/send-code', {
  ...step,
  name: 'sendSignInCode',
  summary: 'Continue a sign-in by email or SMS instead: sends a code and returns a new session token',
  body: z.object({ session_token }),
  reply: z.object({
    session_token: z.string(),
    two_factor_method: z.enum(['sms', 'email']),
    sent_to: z.string().meta({ description: 'Masked address or phone number to which the code was sent' }),
  }),
  failures: ['invalid_session_token', 'second_factor_unavailable', 'code_entry_locked', 'too_many_requests'],
});
