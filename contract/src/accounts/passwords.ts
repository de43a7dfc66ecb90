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
  summary: 'Send a mail to reset the password, with a link and a code',
  description:
    'The response is the same for an address without an account. The link in the mail works once, for 30 minutes. A request that follows too soon sends no mail; earlier links stay valid.',
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
  summary: 'Set a new password with the code; ends every session',
  body: ResetPasswordBody,
  failures: ['invalid_session_token', 'invalid_verification_code', 'too_many_requests'],
});

const token = z
  .string()
  .min(1, REQUIRED)
  .max(200)
  .meta({ description: "The fragment of the mail's link, after the #" });
export const ResetPasswordByLinkBody = z
  .object({ token, password, confirm_password: passwordAgain })
  .refine(passwordsMatch, passwordMismatch);
export const resetPasswordByLink = route('POST /auth/reset-password/link', {
  ...open,
  name: 'resetPasswordByLink',
  summary: "Set a new password with the mail's single-use link; ends every session",
  body: ResetPasswordByLinkBody,
  failures: ['invalid_reset_link', 'too_many_requests'],
});
export const checkResetLink = route('POST /auth/reset-password/link/check', {
  ...open,
  name: 'checkResetLink',
  summary: "Check whether the mail's link is still valid, without using it",
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
  auth: 'bearer',
  name: 'changePassword',
  stepUp: { when: 'the account has a second factor' },
  summary: 'Change the password; ends every other session',
  body: ChangePasswordBody,
  failures: ['too_many_requests'],
});
