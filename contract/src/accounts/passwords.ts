import { z } from 'zod';
import {
  email,
  password,
  passwordAgain,
  passwordMismatch,
  passwordsMatch,
  REQUIRED,
  sessionToken,
  verificationCode,
} from '../field.ts';
import { route } from '../route.ts';

export const COMMON_PASSWORD = 'This password is too common. Please choose another.';
export const WRONG_PASSWORD = 'The password is not correct.';

const open = { tag: 'auth', auth: 'none' } as const;

export const forgotPassword = route('POST /auth/forgot-password', {
  ...open,
  name: 'forgotPassword',
  summary: 'Send a password reset email with a link and a code',
  description:
    'The response is the same whether or not the address has an account. The link in the email works once and expires after 30 minutes. A request that follows too soon sends no email, and earlier links stay valid.',
  body: z.object({ email }),
  reply: z.object({ session_token: z.string() }),
  failures: ['too_many_requests'],
});

export const ResetPasswordBody = z
  .object({ session_token: sessionToken, code: verificationCode, password, confirm_password: passwordAgain })
  .refine(passwordsMatch, passwordMismatch);
export const resetPassword = route('POST /auth/reset-password', {
  ...open,
  name: 'resetPassword',
  summary: 'Reset the password with the code; ends all sessions',
  body: ResetPasswordBody,
  failures: ['invalid_session_token', 'invalid_verification_code', 'too_many_requests'],
});

const token = z
  .string()
  .min(1, REQUIRED)
  .max(200)
  .meta({ description: 'The fragment of the link in the email, after the #' });
export const ResetPasswordByLinkBody = z
  .object({ token, password, confirm_password: passwordAgain })
  .refine(passwordsMatch, passwordMismatch);
export const resetPasswordByLink = route('POST /auth/reset-password/link', {
  ...open,
  name: 'resetPasswordByLink',
  summary: 'Reset the password with the single-use link from the email; ends all sessions',
  body: ResetPasswordByLinkBody,
  failures: ['invalid_reset_link', 'too_many_requests'],
});
export const checkResetLink = route('POST /auth/reset-password/link/check', {
  ...open,
  name: 'checkResetLink',
  summary: 'Check whether the link from the email is still valid, without using it',
  body: z.object({ token }),
  failures: ['invalid_reset_link'],
});

export const ChangePasswordBody = z
  .object({
    current_password: z.string().min(1, REQUIRED).max(128),
    password,
    confirm_password: passwordAgain,
  })
  .refine(passwordsMatch, passwordMismatch);
export const changePassword = route('POST /auth/change-password', {
  tag: 'account',
  auth: 'person',
  name: 'changePassword',
  ownProof: true,
  stepUp: { when: 'the account has a second factor' },
  summary: 'Change the password; ends all other sessions',
  body: ChangePasswordBody,
  failures: ['too_many_requests'],
});
