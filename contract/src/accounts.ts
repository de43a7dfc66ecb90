import { z } from 'zod';
import { REQUIRED } from './errors.ts';
import {
  EMAIL_MESSAGE,
  email,
  headerText,
  headerTextMessage,
  id,
  PASSWORD_MESSAGE,
  PASSWORD_MISMATCH,
  PHONE_MESSAGE,
  password,
  time,
  timeZone,
  verificationCode,
} from './field.ts';
import { CODE_LENGTH, expirySeconds, messageTemplate, subjectLine } from './otp.ts';
import { route } from './route.ts';
import { SECOND_FACTORS } from './second-factor-names.ts';

export const TWO_FACTOR_METHODS = ['sms', 'email'] as const;
export const RESEND_COOLDOWN_SECONDS = 30;
export const PHONE_REQUIRED_FOR_SMS = 'Phone number is required for SMS 2FA';
export const COMMON_PASSWORD = 'This password is too common. Please choose another.';
export const SENDER_NAME_NO_ADDRESS = 'Sender name must not contain @';
export const WRONG_PASSWORD = 'The password is not correct.';

/** Digits, spaces, dashes, parentheses, an optional leading plus; at least ten digits. */
export const phoneText = z
  .string()
  .trim()
  .regex(/^\+?[\d ()-]*$/, PHONE_MESSAGE)
  .refine((text) => text.replace(/\D/g, '').length >= 10, PHONE_MESSAGE)
  .refine((text) => text.length <= 32, PHONE_MESSAGE);

const current_password = z.string().max(128).optional().meta({
  description: 'Required to change the phone number or the two-factor settings',
});
const session_token = z.string().min(1, REQUIRED).max(200);

// ── sign-in ──

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
    .meta({ description: 'Everything that can complete this sign-in, the strongest first' }),
  sent_to: z.string().optional().meta({ description: 'Where the code was sent, masked' }),
  is_signup: z.boolean().optional(),
});
export type AuthReply = z.infer<typeof AuthReply>;
export const Tokens = z.object({ access: z.string(), refresh: z.string() });
export type Tokens = z.infer<typeof Tokens>;

const open = { tag: 'auth', auth: 'none', method: 'POST', status: 200 } as const;
const own = { tag: 'account', auth: 'bearer' } as const;

export const SignInBody = z.object({ email, password: z.string().min(1, REQUIRED).max(128) });
export const signIn = route({
  ...open,
  name: 'signIn',
  path: '/auth/signin',
  summary: 'Sign in with e-mail and password',
  body: SignInBody,
  reply: AuthReply,
  failures: ['invalid_credentials', 'too_many_requests'],
});

/** The password once more. */
const confirmation = z.string().min(1, REQUIRED).min(8, PASSWORD_MESSAGE);
const matching = <T extends { password: string; confirm_password: string }>(body: T): boolean =>
  body.password === body.confirm_password;
const mismatch = { message: PASSWORD_MISMATCH, path: ['confirm_password'] };

export const SignUpBody = z
  .object({
    email,
    phone_number: z.string().min(1, REQUIRED).pipe(phoneText),
    password,
    confirm_password: confirmation,
  })
  .refine(matching, mismatch);
export const signUp = route({
  ...open,
  name: 'signUp',
  path: '/auth/signup',
  summary: 'Create an account; a code sent to the e-mail address completes it',
  body: SignUpBody,
  reply: AuthReply,
  failures: ['too_many_requests'],
});

export const VerifyTwoFactorBody = z.object({
  session_token,
  code: verificationCode,
  method: z
    .enum(['authenticator', 'sms', 'email'], { error: 'Choose authenticator, sms or email' })
    .optional()
    .meta({ description: 'Where the code is from. Default: the two_factor_method of the sign-in' }),
});
export const verifyTwoFactor = route({
  ...open,
  name: 'verifyTwoFactor',
  path: '/auth/verify-2fa',
  summary: 'Complete sign-in or sign-up with the code',
  body: VerifyTwoFactorBody,
  reply: Tokens,
  failures: ['invalid_session_token', 'invalid_verification_code', 'code_entry_locked', 'too_many_requests'],
});

export const resendTwoFactor = route({
  ...open,
  name: 'resendTwoFactor',
  path: '/auth/resend-2fa',
  summary: 'Send the same code again, at most every 30 seconds and five times',
  body: z.object({ session_token }),
  reply: z.object({ retry_after: z.number().int() }),
  failures: [
    'invalid_session_token',
    'resend_too_soon',
    'resend_limit_reached',
    'code_entry_locked',
    'too_many_requests',
  ],
});

const refreshBody = z.object({ refresh: z.string().min(1, REQUIRED).max(200) });
export const signOut = route({
  ...open,
  name: 'signOut',
  path: '/auth/logout',
  summary: 'End the session of this refresh token',
  body: refreshBody,
  status: 204,
});

export const refreshTokens = route({
  ...open,
  name: 'refreshTokens',
  path: '/auth/refresh',
  summary: 'Exchange a refresh token for a new pair of tokens',
  body: refreshBody,
  reply: Tokens,
  failures: ['invalid_refresh_token'],
});

export const forgotPassword = route({
  ...open,
  name: 'forgotPassword',
  path: '/auth/forgot-password',
  summary: 'Send a mail to reset the password, with a link and a code',
  description:
    'The response is the same for an address without an account. The link in the mail works once, for 30 minutes. A request that follows too soon sends no mail; earlier links stay valid.',
  body: z.object({ email }),
  reply: z.object({ session_token: z.string() }),
  failures: ['too_many_requests'],
});

export const ResetPasswordBody = z
  .object({ session_token, code: verificationCode, password, confirm_password: confirmation })
  .refine(matching, mismatch);
export const resetPassword = route({
  ...open,
  name: 'resetPassword',
  path: '/auth/reset-password',
  summary: 'Set a new password with the code; ends every session',
  body: ResetPasswordBody,
  status: 204,
  failures: ['invalid_session_token', 'invalid_verification_code', 'too_many_requests'],
});

const token = z
  .string()
  .min(1, REQUIRED)
  .max(200)
  .meta({ description: "The fragment of the mail's link, after the #" });
export const ResetPasswordByLinkBody = z
  .object({ token, password, confirm_password: confirmation })
  .refine(matching, mismatch);
export const resetPasswordByLink = route({
  ...open,
  name: 'resetPasswordByLink',
  path: '/auth/reset-password/link',
  summary: "Set a new password with the mail's single-use link; ends every session",
  body: ResetPasswordByLinkBody,
  status: 204,
  failures: ['invalid_reset_link', 'too_many_requests'],
});
export const checkResetLink = route({
  ...open,
  name: 'checkResetLink',
  path: '/auth/reset-password/link/check',
  summary: "Check whether the mail's link is still valid, without using it",
  body: z.object({ token }),
  status: 204,
  failures: ['invalid_reset_link'],
});

export const ChangePasswordBody = z
  .object({
    current_password: z.string().min(1, REQUIRED).max(128),
    password,
    confirm_password: confirmation,
  })
  .refine(matching, mismatch);
export const changePassword = route({
  ...own,
  name: 'changePassword',
  method: 'POST',
  path: '/auth/change-password',
  summary: 'Change the password; ends every other session',
  body: ChangePasswordBody,
  status: 204,
  failures: ['too_many_requests'],
});

export const Session = z.object({
  id,
  created_at: time,
  last_used_at: time,
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  is_current: z.boolean(),
});
export type Session = z.infer<typeof Session>;
export const listSessions = route({
  ...own,
  name: 'listSessions',
  method: 'GET',
  path: '/auth/sessions/',
  summary: 'Active sessions of the account',
  status: 200,
  reply: z.object({ results: z.array(Session), count: z.number().int() }),
});
export const endSession = route({
  ...own,
  name: 'endSession',
  method: 'DELETE',
  path: '/auth/sessions/:id/',
  summary: 'Sign one session out',
  params: z.object({ id: z.string() }),
  status: 204,
  failures: ['not_found'],
});

export const endAllSessions = route({
  ...own,
  name: 'endAllSessions',
  method: 'POST',
  path: '/auth/sessions/end-all/',
  summary: 'Sign out everywhere',
  body: z.object({
    keep_current: z
      .boolean({ error: 'Must be true or false.' })
      .default(false)
      .meta({ description: 'Whether the session of this call stays' }),
  }),
  status: 204,
});

// ── the account ──

export const User = z.object({
  id,
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  phone_number: z.string(),
  credits: z.number().int(),
  debt: z
    .number()
    .int()
    .meta({ description: 'Reversed credits that were already spent; sends are refused until they are paid' }),
  low_balance_threshold: z.number().int().nullable(),
  welcome_credits_due: z
    .number()
    .int()
    .meta({ description: 'Free credits that the account gets when it verifies a phone number' }),
  created_at: time,
  time_zone: z.string().nullable().meta({ description: "Null for the browser's" }),
  two_factor_enabled: z.boolean(),
  is_suspended: z.boolean().meta({ description: 'Suspended by the operator: the API refuses its keys' }),
  announcements: z
    .array(z.object({ id, text: z.string(), tone: z.enum(['info', 'warning']) }))
    .meta({ description: 'What the operator of the service announces now' }),
  operator_role: z.enum(['support', 'admin']).optional(),
});
export type User = z.infer<typeof User>;
export const getMe = route({
  ...own,
  name: 'getMe',
  method: 'GET',
  path: '/users/me',
  summary: 'The signed-in user and the balance',
  status: 200,
  reply: User,
});
export const deleteMe = route({
  ...own,
  name: 'deleteMe',
  method: 'DELETE',
  path: '/users/me',
  stepUp: true,
  summary: 'Delete the account: erases personal data and preserves the totals of the ledger',
  body: z.object({ password: z.string().min(1, REQUIRED).max(128) }),
  status: 204,
  failures: ['too_many_requests'],
});

const personName = (field: string) =>
  z
    .string()
    .trim()
    .min(1, `${field} cannot be empty`)
    .max(100, 'At most 100 characters')
    .refine(headerText, headerTextMessage(field));

export const ProfileBody = z.object({
  first_name: personName('First name').optional(),
  last_name: personName('Last name').optional(),
  phone_number: phoneText.optional(),
  time_zone: timeZone
    .nullable()
    .optional()
    .meta({ description: "IANA time zone in which the dashboard shows times; null for the browser's" }),
  current_password,
});
export const Profile = z.object({
  first_name: z.string(),
  last_name: z.string(),
  phone_number: z.string(),
  email: z.string(),
  username: z.string(),
  time_zone: z.string().nullable(),
  created_at: time,
});
export type Profile = z.infer<typeof Profile>;
export const getProfile = route({
  ...own,
  name: 'getProfile',
  method: 'GET',
  path: '/profile/',
  summary: 'Profile',
  status: 200,
  reply: Profile,
});
export const updateProfile = route({
  ...own,
  name: 'updateProfile',
  method: 'PUT',
  path: '/profile/',
  summary: 'Change name, phone number and time zone; omitted fields stay unchanged',
  body: ProfileBody,
  status: 200,
  reply: Profile,
  failures: ['too_many_requests'],
});

export const TwoFactor = z.object({
  two_factor_enabled: z.boolean(),
  two_factor_method: z.enum(TWO_FACTOR_METHODS),
  phone_number: z.string(),
});
export type TwoFactor = z.infer<typeof TwoFactor>;
export const TwoFactorBody = z
  .object({
    two_factor_enabled: z.boolean({
      error: (issue) => (issue.input === undefined ? REQUIRED : 'Must be true or false.'),
    }),
    two_factor_method: z.enum(TWO_FACTOR_METHODS, { error: 'Choose sms or email' }),
    phone_number: z.string().trim().max(32, PHONE_MESSAGE).optional(),
    current_password,
    code: verificationCode.optional().meta({ description: 'The code sent to a new phone number' }),
    session_token: session_token.optional(),
  })
  .superRefine((body, context) => {
    if (body.two_factor_method !== 'sms' || !body.two_factor_enabled) return;
    const phone = body.phone_number ?? '';
    const message =
      phone === '' ? PHONE_REQUIRED_FOR_SMS : phoneText.safeParse(phone).success ? undefined : PHONE_MESSAGE;
    if (message) context.addIssue({ code: 'custom', message, path: ['phone_number'] });
  });
export const getTwoFactor = route({
  ...own,
  name: 'getTwoFactor',
  method: 'GET',
  path: '/profile/2fa/',
  summary: 'Two-factor settings',
  status: 200,
  reply: TwoFactor,
});
export const updateTwoFactor = route({
  ...own,
  name: 'updateTwoFactor',
  method: 'PUT',
  path: '/profile/2fa/',
  stepUp: { when: 'a setting changes' },
  summary: 'Change two-factor settings',
  description:
    'Switching to SMS on an unverified number returns `requires_code` and a `session_token`. Send the same body again with the `session_token` and the `code` sent to the number.',
  body: TwoFactorBody,
  status: 200,
  reply: TwoFactor.extend({ requires_code: z.boolean().optional(), session_token: z.string().optional() }),
  failures: ['invalid_session_token', 'invalid_verification_code', 'code_entry_locked', 'too_many_requests'],
});

// ── OTP configuration ──

export const AUTO_PURCHASE_THRESHOLD = { min: 1, max: 10_000, default: 50 } as const;
export const AUTO_PURCHASE_AMOUNT = { min: 100, max: 100_000, default: 500 } as const;

/** A whole number within bounds. Input that is not a number becomes the default. */
const bounded = (range: { min: number; max: number; default: number }, low: string, high: string) =>
  z.number().int().min(range.min, low).max(range.max, high).default(range.default);

const longEnough = (least: number, message: string) => (text: string, context: z.RefinementCtx) => {
  if (text !== '' && text.trim().length < least) context.addIssue({ code: 'custom', message });
};

export const BrandingBody = z.object({
  sender_name: z
    .string()
    .max(64, 'Sender name must be at most 64 characters')
    .refine(headerText, headerTextMessage('Sender name'))
    .refine((text) => !text.includes('@'), SENDER_NAME_NO_ADDRESS)
    .superRefine(longEnough(2, 'Sender name must be at least 2 characters'))
    .transform((text) => text.trim())
    .default(''),
  reply_to_email: z
    .string()
    .trim()
    .refine((text) => text === '' || email.safeParse(text).success, EMAIL_MESSAGE)
    .default(''),
  default_subject: z
    .string()
    .trim()
    .superRefine((text, context) => {
      if (text === '') return;
      const parsed = subjectLine.safeParse(text);
      if (!parsed.success)
        context.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? '' });
    })
    .default(''),
  default_message: z
    .string()
    .trim()
    .superRefine((text, context) => {
      if (text === '') return;
      const parsed = messageTemplate.safeParse(text);
      if (!parsed.success)
        context.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? '' });
    })
    .default(''),
  default_otp_length: bounded(
    CODE_LENGTH,
    `OTP length must be at least ${CODE_LENGTH.min} digits`,
    `OTP length must be at most ${CODE_LENGTH.max} digits`,
  ),
  default_expiry_seconds: expirySeconds.default(300),
  auto_purchase_enabled: z.boolean().default(false),
  auto_purchase_threshold: bounded(
    AUTO_PURCHASE_THRESHOLD,
    'Auto-purchase threshold must be at least 1 credit',
    'Auto-purchase threshold must be at most 10,000 credits',
  ),
  auto_purchase_amount: bounded(
    AUTO_PURCHASE_AMOUNT,
    'Auto-purchase amount must be at least 100 credits',
    'Auto-purchase amount must be at most 100,000 credits',
  ),
  low_balance_threshold: z
    .number()
    .int()
    .min(0, 'Low-balance threshold must be at least 0 credits')
    .max(1_000_000, 'Low-balance threshold must be at most 1,000,000 credits')
    .nullable()
    .default(null)
    .meta({
      description: 'Balance below which a notice appears on every screen and is mailed; null for none',
    }),
});
export const Branding = z.object({
  sender_name: z.string(),
  reply_to_email: z.string(),
  default_subject: z.string(),
  default_message: z.string(),
  default_otp_length: z.number().int(),
  default_expiry_seconds: z.number().int(),
  auto_purchase_enabled: z.boolean(),
  auto_purchase_threshold: z.number().int(),
  auto_purchase_amount: z.number().int(),
  low_balance_threshold: z.number().int().nullable(),
});
export type Branding = z.infer<typeof Branding>;

export const getBranding = route({
  ...own,
  name: 'getBranding',
  method: 'GET',
  path: '/profile/email-branding/',
  summary: 'OTP configuration',
  status: 200,
  reply: Branding,
});
export const updateBranding = route({
  ...own,
  name: 'updateBranding',
  method: 'PUT',
  path: '/profile/email-branding/',
  stepUp: { when: 'auto-purchase changes' },
  summary: 'Change the OTP configuration',
  body: BrandingBody,
  status: 200,
  reply: Branding,
});
export const previewBranding = route({
  ...own,
  name: 'previewBranding',
  method: 'POST',
  path: '/profile/email-branding/preview/',
  summary: 'Preview the mail that these settings would send',
  body: BrandingBody,
  status: 200,
  reply: z.object({ subject: z.string(), html: z.string(), text: z.string() }),
});
