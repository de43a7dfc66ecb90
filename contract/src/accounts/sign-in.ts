import { z } from 'zod';
import {
  email,
  invitationToken,
  optionalPhone,
  password,
  passwordAgain,
  passwordMismatch,
  passwordsMatch,
  REQUIRED,
  sessionToken,
  verificationCode,
} from '../field.ts';
import { route } from '../route.ts';
import { SECOND_FACTORS } from '../second-factors/names.ts';

import { Tokens } from './tokens.ts';

export * from './tokens.ts';

export const RESEND_COOLDOWN_SECONDS = 30;

/** Either tokens or a code step. */
export const AuthReply = z.object({
  access: z.string().optional(),
  refresh: z.string().optional(),
  requires_2fa: z.boolean(),
  session_token: z.string().optional(),
  two_factor_method: z.enum(SECOND_FACTORS).optional(),
  two_factor_methods: z
    .array(z.enum(SECOND_FACTORS))
    .optional()
    .meta({ description: 'Methods that can complete this sign-in, strongest first' }),
  sent_to: z
    .string()
    .optional()
    .meta({ description: 'Masked address or phone number to which the code was sent' }),
  is_signup: z.boolean().optional(),
});
export type AuthReply = z.infer<typeof AuthReply>;
const open = { tag: 'auth', auth: 'none' } as const;

export const SignInBody = z.object({ email, password: z.string().min(1, REQUIRED).max(128) });
export const signIn = route('POST /auth/signin', {
  ...open,
  name: 'signIn',
  summary: 'Sign in with email and password',
  body: SignInBody,
  reply: AuthReply,
  failures: ['invalid_credentials', 'too_many_requests'],
});

interface Named {
  phone_number?: unknown;
  invitation?: unknown;
}

export const SignUpBody = z
  .object({
    email,
    phone_number: optionalPhone.meta({ description: 'Required without an invitation' }),
    password,
    confirm_password: passwordAgain,
    invitation: invitationToken.optional().meta({
      description:
        'The token of an invitation to this address. It proves the address, so the reply has the tokens of a session, and the person becomes a member of the account instead of getting one of their own',
    }),
  })
  .refine(passwordsMatch, passwordMismatch)
  .refine((body: Named) => body?.phone_number !== '' || body.invitation !== undefined, {
    // also checks a body whose other fields are refused
    when: () => true,
    path: ['phone_number'],
    error: REQUIRED,
  });
export const signUp = route('POST /auth/signup', {
  ...open,
  name: 'signUp',
  summary: 'Create an account; a code sent to the email address completes it',
  body: SignUpBody,
  reply: AuthReply,
  failures: ['not_found', 'account_suspended', 'member_limit_reached', 'too_many_requests'],
});

export const VerifyTwoFactorBody = z.object({
  session_token: sessionToken,
  code: verificationCode,
  method: z
    .enum(['authenticator', 'sms', 'email'], { error: 'Choose authenticator, sms or email' })
    .optional()
    .meta({ description: 'Source of the code. Default: the two_factor_method of the sign-in' }),
});
export const verifyTwoFactor = route('POST /auth/verify-2fa', {
  ...open,
  name: 'verifyTwoFactor',
  summary: 'Complete sign-in or sign-up with the code',
  body: VerifyTwoFactorBody,
  reply: Tokens,
  failures: ['invalid_session_token', 'invalid_verification_code', 'code_entry_locked', 'too_many_requests'],
});

export const resendTwoFactor = route('POST /auth/resend-2fa', {
  ...open,
  name: 'resendTwoFactor',
  summary: 'Send the same code again: at most once every 30 seconds, and five times in total',
  body: z.object({ session_token: sessionToken }),
  reply: z.object({ retry_after: z.number().int() }),
  failures: [
    'invalid_session_token',
    'resend_too_soon',
    'resend_limit_reached',
    'code_entry_locked',
    'too_many_requests',
  ],
});
