import { z } from 'zod';
import {
  headerText,
  headerTextMessage,
  id,
  PHONE_MESSAGE,
  phoneText,
  REQUIRED,
  sessionToken,
  time,
  timeZone,
  verificationCode,
} from '../field.ts';
import { ROLES } from '../roles.ts';
import { route } from '../route.ts';
import { wholeText } from '../viewer-texts.ts';

export const TWO_FACTOR_METHODS = ['sms', 'email'] as const;
export const PHONE_REQUIRED_FOR_SMS = 'Phone number is required for SMS 2FA';

const member = { tag: 'account', auth: 'bearer' } as const;
const own = { tag: 'account', auth: 'person' } as const;
const current_password = z.string().max(128).optional().meta({
  description: 'Required to change the phone number or the two-factor settings',
});

export const User = z.object({
  id: id.meta({ description: 'The person' }),
  account_id: id.meta({ description: 'The account that the call is about' }),
  role: z.enum(ROLES).meta({ description: 'The role of the person in the account' }),
  username: wholeText,
  email: wholeText,
  first_name: wholeText,
  last_name: wholeText,
  phone_number: wholeText,
  credits: z.number().int(),
  debt: z
    .number()
    .int()
    .meta({ description: 'Reversed credits that were already spent; sends are refused until they are paid' }),
  low_balance_threshold: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'The threshold in effect, below which the balance is low; null: no warnings' }),
  welcome_credits_due: z
    .number()
    .int()
    .meta({ description: 'Free credits that the account gets when it verifies a phone number' }),
  created_at: time,
  time_zone: z.string().nullable().meta({ description: "Null: the browser's time zone" }),
  two_factor_enabled: z.boolean(),
  is_suspended: z
    .boolean()
    .meta({ description: 'Whether the operator has suspended the account; its API keys are refused' }),
  announcements: z
    .array(z.object({ id, text: wholeText, tone: z.enum(['info', 'warning']) }))
    .meta({ description: 'Announcements that the operator currently shows' }),
  operator_role: z.enum(['support', 'admin']).optional(),
  is_sso_session: z.boolean().optional().meta({ description: 'Present in an SSO session' }),
});
export type User = z.infer<typeof User>;
export const getMe = route('GET /users/me', {
  ...member,
  name: 'getMe',
  summary: 'The signed-in user and the balance',
  reply: User,
});
export const deleteMe = route('DELETE /users/me', {
  ...member,
  name: 'deleteMe',
  ownProof: true,
  stepUp: true,
  summary: 'Delete the account: erases personal data but keeps the ledger totals',
  body: z.object({ password: z.string().min(1, REQUIRED).max(128) }),
  failures: ['too_many_requests'],
});

export const deleteProfile = route('DELETE /profile/', {
  ...own,
  name: 'deleteProfile',
  ownProof: true,
  stepUp: true,
  summary:
    'Delete a person who is not a member of any account: erases their personal data and ends their sessions',
  body: z.object({ password: z.string().min(1, REQUIRED).max(128) }),
  failures: ['still_member', 'too_many_requests'],
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
  time_zone: timeZone.nullable().optional().meta({
    description: "IANA time zone in which the dashboard shows times; null: the browser's time zone",
  }),
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
export const getProfile = route('GET /profile/', {
  ...own,
  name: 'getProfile',
  summary: 'Profile',
  reply: Profile,
});
export const updateProfile = route('PUT /profile/', {
  ...own,
  name: 'updateProfile',
  stepUp: { when: 'the phone number changes and the account has a second factor' },
  summary: 'Change name, phone number and time zone; omitted fields stay unchanged',
  body: ProfileBody,
  reply: Profile,
  failures: ['sso_session', 'too_many_requests'],
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
    session_token: sessionToken.optional(),
  })
  .superRefine((body, context) => {
    if (body.two_factor_method !== 'sms' || !body.two_factor_enabled) return;
    const phone = body.phone_number ?? '';
    const message =
      phone === '' ? PHONE_REQUIRED_FOR_SMS : phoneText.safeParse(phone).success ? undefined : PHONE_MESSAGE;
    if (message) context.addIssue({ code: 'custom', message, path: ['phone_number'] });
  });
export const getTwoFactor = route('GET /profile/2fa/', {
  ...own,
  name: 'getTwoFactor',
  summary: 'Two-factor settings',
  reply: TwoFactor,
});
export const updateTwoFactor = route('PUT /profile/2fa/', {
  ...own,
  name: 'updateTwoFactor',
  ownProof: true,
  stepUp: { when: 'a setting changes' },
  summary: 'Change two-factor settings',
  description:
    'Switching to SMS on an unverified number returns `requires_code` and a `session_token`. Send the same body again with the `session_token` and the `code` sent to the number.',
  body: TwoFactorBody,
  reply: TwoFactor.extend({ requires_code: z.boolean().optional(), session_token: z.string().optional() }),
  failures: ['invalid_session_token', 'invalid_verification_code', 'code_entry_locked', 'too_many_requests'],
});
