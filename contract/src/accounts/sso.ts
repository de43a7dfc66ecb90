import { z } from 'zod';
import {
  email,
  headerText,
  headerTextMessage,
  id,
  oneLine,
  optionalTime,
  REQUIRED,
  requiredText,
  sessionToken,
  time,
} from '../field.ts';
import { DOMAIN_PROBLEMS } from '../message-links.ts';
import { ROLES } from '../roles.ts';
import { route } from '../route.ts';

/**
 * Single sign-on (SSO) with an account's own identity provider, over OpenID Connect. The provider signs in people with addresses in
 * one domain that the account has verified. A session that begins this way, an SSO session, opens only that account.
 */

/**
 * The provider sends the browser back to this page of the dashboard, which posts the parameters to `finishSso`. Each account has
 * a callback of its own below it, so that one account's provider cannot use the response of another's (RFC 9700, 4.4).
 */
export const SSO_CALLBACK = '/sso/callback';
export const ssoCallbackOf = (account_id: string) => `${SSO_CALLBACK}/${account_id}` as const;
/** The page that begins a sign-in for the provider (OpenID Connect Core 1.0, 4). */
export const SSO_START = '/sso/start';
/** The state of a test sign-in begins so; that of a sign-in never contains a dot. The callback page tells them apart by it. */
export const SSO_TEST_STATE = 'test.';
/** The user has this long to sign in at the provider. */
export const SSO_LOGIN_SECONDS = 10 * 60;

/** An SSO session lasts this long, unless the account chooses otherwise. */
export const SSO_SESSION_HOURS = 24;
export const SSO_SESSION_HOURS_MAX = 90 * 24;

/** The role of a member who joins with SSO. */
export const SSO_DEFAULT_ROLES = ['admin', 'developer', 'support', 'viewer'] as const;

const member = { tag: 'account', auth: 'bearer' } as const;
const own = { tag: 'account', auth: 'person' } as const;

export const Sso = z.object({
  issuer: z
    .string()
    .meta({ description: "The provider's issuer, exactly as its discovery document names it" }),
  client_id: z.string(),
  domain: z.string().meta({ description: 'In lower case and punycode; its subdomains are not included' }),
  domain_status: z.enum(['pending', 'verified', 'lapsing']).meta({
    description: 'lapsing: the last check did not find the record; the domain stays verified until lapses_at',
  }),
  record_name: z.string().meta({ description: 'The name of the DNS record' }),
  record_value: z.string().meta({ description: 'The value of the TXT record' }),
  domain_problem: z
    .enum(DOMAIN_PROBLEMS)
    .nullable()
    .meta({ description: 'The problem that the last check found' }),
  domain_checked_at: optionalTime,
  domain_verified_at: optionalTime,
  lapses_at: optionalTime,
  default_role: z.enum(SSO_DEFAULT_ROLES),
  required: z.boolean().meta({
    description: 'Whether members with addresses in the domain can open the account only with SSO',
  }),
  exempt_person_id: id
    .nullable()
    .meta({ description: 'The owner who can always sign in with a password or passkey' }),
  session_hours: z.number().int().meta({ description: 'How long an SSO session lasts' }),
  shared_redirect: z.boolean().meta({
    description:
      'Whether sign-ins still use the redirect URL that all accounts once shared. They work only if the provider sends `iss` (RFC 9207)',
  }),
  signed_in_at: optionalTime.meta({
    description: 'The last sign-in with this issuer and client. Null: `required` cannot be turned on yet',
  }),
  last_failure: z
    .object({ at: time, text: z.string() })
    .nullable()
    .meta({ description: 'The last failed sign-in since the last successful one' }),
  created_at: time,
  updated_at: time,
});
export type Sso = z.infer<typeof Sso>;

const SsoState = z.object({
  redirect_url: z
    .string()
    .meta({ description: 'The redirect URL of this account, to register at the provider' }),
  start_url: z.string().meta({
    description:
      'For a provider with a list of applications: the address that begins a sign-in. The provider adds `iss`',
  }),
  settings: Sso.nullable().meta({ description: 'Null: single sign-on is not set up' }),
});
export type SsoState = z.infer<typeof SsoState>;

export const getSso = route('GET /sso/', {
  ...member,
  name: 'getSso',
  summary: 'Single sign-on settings of the account',
  reply: SsoState,
});

const HOURS_MESSAGE = `Enter a whole number of hours from 1 to ${SSO_SESSION_HOURS_MAX}.`;

export const SsoBody = z.object({
  issuer: requiredText().max(500, 'The issuer must have at most 500 characters.'),
  client_id: requiredText()
    .max(300, 'The client ID must have at most 300 characters.')
    .refine(headerText, headerTextMessage('The client ID')),
  client_secret: z
    .string()
    .trim()
    .max(1000, 'The client secret must have at most 1,000 characters.')
    .optional()
    .meta({
      description: 'Empty or omitted: unchanged. It is never shown again',
    }),
  domain: requiredText().max(300, 'The domain is too long.'),
  default_role: z.enum(SSO_DEFAULT_ROLES, { error: 'Choose admin, developer, support or viewer' }),
  required: z.boolean({ error: 'Must be true or false.' }).default(false),
  exempt_person_id: id.nullable().optional().meta({
    description:
      'An owner with a password or passkey. Omitted: unchanged, or the caller when `required` is turned on',
  }),
  session_hours: z
    .number({ error: HOURS_MESSAGE })
    .int(HOURS_MESSAGE)
    .min(1, HOURS_MESSAGE)
    .max(SSO_SESSION_HOURS_MAX, HOURS_MESSAGE)
    .optional()
    .meta({
      description: `How long an SSO session lasts. Omitted: unchanged, or ${SSO_SESSION_HOURS}. Open sessions get a shorter time, not a longer one`,
    }),
  shared_redirect: z.literal(false, { error: 'Must be false.' }).optional().meta({
    description:
      'false: from now on, sign-ins use the redirect URL of this account. Omitted: unchanged. A new issuer or client always uses it',
  }),
});
export type SsoBody = z.infer<typeof SsoBody>;

export const updateSso = route('PUT /sso/', {
  ...member,
  name: 'updateSso',
  stepUp: true,
  summary: 'Set up or change single sign-on',
  description:
    'Does not call the provider. A new domain must be verified. A new issuer or client ends all SSO sessions, except the one that makes this call. `required` needs a verified domain and one sign-in with this issuer and client.',
  body: SsoBody,
  reply: SsoState,
});

export const removeSso = route('DELETE /sso/', {
  ...member,
  name: 'removeSso',
  stepUp: true,
  summary: 'Turn off single sign-on',
  description:
    'Ends all SSO sessions, except the one that makes this call, and deletes the links between members and the provider. Members keep their roles.',
  failures: ['not_found'],
});

export const checkSso = route('POST /sso/check/', {
  ...member,
  name: 'checkSso',
  summary: "Look up the domain's TXT record and the provider's discovery document now",
  reply: SsoState.extend({
    issuer_problem: z
      .string()
      .nullable()
      .meta({ description: "Why Sixdigit cannot use the provider's discovery document, as a sentence" }),
  }),
  failures: ['not_found', 'too_many_requests', 'sso_domain_taken'],
});

export const startSsoTest = route('POST /sso/test/', {
  ...member,
  name: 'startSsoTest',
  stepUp: true,
  summary: 'Begin a test sign-in with these settings',
  description:
    'Stores no settings. The callback of a test signs nobody in: post it to `POST /auth/sso/test/callback/`.',
  body: SsoBody.pick({
    issuer: true,
    client_id: true,
    client_secret: true,
    domain: true,
    default_role: true,
  }),
  reply: z.object({
    url: z.string().meta({ description: "The provider's page, to open in the same browser" }),
  }),
  failures: ['too_many_requests'],
});

const open = { tag: 'auth', auth: 'none' } as const;

const Begun = z.object({
  url: z.string().meta({ description: "The provider's page to which to send the browser" }),
  login_token: z.string().meta({
    description:
      'Keep it in this browser until the callback. It proves that the same browser began the sign-in',
  }),
});
export type SsoBegun = z.infer<typeof Begun>;

const BEGINNING = ['sso_provider_unavailable', 'sso_redirect_outdated', 'too_many_requests'] as const;

export const startSso = route('POST /auth/sso/', {
  ...open,
  name: 'startSso',
  summary: 'Begin an SSO sign-in',
  description:
    'The domain of the address selects the provider. The response does not reveal whether a user with the address exists.',
  body: z.object({ email }),
  reply: Begun,
  failures: [...BEGINNING, 'no_sso'],
});

export const startSsoByIssuer = route('POST /auth/sso/start/', {
  ...open,
  name: 'startSsoByIssuer',
  summary: 'Begin an SSO sign-in for the identity provider',
  description:
    'For sign-ins that begin at the provider (OpenID Connect Core 1.0, 4). If several accounts use the issuer, the domain of `login_hint` selects one.',
  body: z.object({
    iss: requiredText()
      .max(500, 'The issuer must have at most 500 characters.')
      .refine(oneLine, 'The issuer must be one line of text.'),
    login_hint: z.string().max(300).refine(oneLine, 'The hint must be one line of text.').optional(),
  }),
  reply: Begun,
  failures: [...BEGINNING, 'sso_issuer_unknown'],
});

export const startSsoStepUp = route('POST /auth/step-up/sso/', {
  ...own,
  name: 'startSsoStepUp',
  summary: "Confirm the identity of the user at the account's identity provider",
  description:
    'Only for SSO sessions. The provider asks the user to sign in again, and must confirm it with a recent `auth_time`. The callback is the same as that of a sign-in; its response has `proven_until`.',
  reply: Begun,
  failures: [...BEGINNING, 'step_up_method_refused'],
});

export const SsoCallbackBody = z.object({
  login_token: sessionToken,
  account_id: z.string().max(100).optional().meta({
    description: 'The account in the path of the callback; omitted for the shared redirect URL',
  }),
  state: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Required, except with `provider_error`: some providers omit it there' }),
  code: z.string().min(1, REQUIRED).max(8_000).optional(),
  iss: z.string().max(500).optional(),
  provider_error: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'The `error` parameter of the callback, instead of a code' }),
});

const joined = z.literal(true).optional().meta({ description: 'Present if the user became a member' });

/** Contains tokens, or `link_token` if the address belongs to a person who must sign in first, or `proven_until` after a step-up. */
export const SsoReply = z.object({
  account_id: id,
  access: z.string().optional(),
  refresh: z.string().optional(),
  joined,
  link_token: z.string().optional().meta({
    description:
      'A user with this address exists. Sign in as that user, then call `POST /auth/sso/link/` with this token within 10 minutes',
  }),
  email: z.string().optional().meta({ description: 'With link_token: the address of the user' }),
  proven_until: optionalTime.optional().meta({ description: 'Only after `POST /auth/step-up/sso/`' }),
});
export type SsoReply = z.infer<typeof SsoReply>;

export const finishSso = route('POST /auth/sso/callback/', {
  ...open,
  name: 'finishSso',
  summary: 'Complete an SSO sign-in with the parameters of the callback',
  description:
    'Works once, within 10 minutes, and only with the `login_token` of the browser that began the sign-in, at the redirect URL with which it began. The tokens open only the account of the provider.',
  body: SsoCallbackBody,
  reply: SsoReply,
  failures: [
    'invalid_sso_login',
    'sso_login_used',
    'sso_other_redirect',
    'sso_redirect_outdated',
    'sso_denied',
    'sso_invalid_response',
    'sso_no_email',
    'sso_email_not_verified',
    'no_sso',
    'sso_other_domain',
    'sso_not_a_member',
    'sso_other_person',
    'sso_sign_in_not_recent',
    'sso_provider_unavailable',
    'account_suspended',
    'member_limit_reached',
    'too_many_requests',
  ],
});

export const linkSso = route('POST /auth/sso/link/', {
  ...own,
  name: 'linkSso',
  ownProof: true,
  stepUp: true,
  summary: 'Link the identity at the provider to the signed-in user',
  description:
    'Makes the user a member with the default role, unless they are one. The tokens in the response begin an SSO session.',
  body: z.object({ link_token: sessionToken }),
  reply: z.object({ account_id: id, access: z.string(), refresh: z.string(), joined }),
  failures: [
    'invalid_sso_link',
    'sso_not_a_member',
    'account_suspended',
    'account_limit_reached',
    'member_limit_reached',
  ],
});

export const finishSsoTest = route('POST /auth/sso/test/callback/', {
  ...own,
  name: 'finishSsoTest',
  summary: 'What the callback of a test sign-in contains',
  description:
    'Works once, within 10 minutes, and only for the session that began the test. Begins no session, makes no member and changes no settings.',
  body: SsoCallbackBody.omit({ login_token: true }).extend({
    account_id: id,
    state: z.string().max(200),
  }),
  reply: z.object({
    problem: z.string().nullable().meta({ description: 'Why a sign-in would fail, as a sentence' }),
    user: z
      .object({
        subject: z.string(),
        email: z.string().meta({ description: 'As the provider sent it; empty if it sent none' }),
        name: z.string(),
      })
      .nullable()
      .meta({ description: 'Null: the provider sent no usable ID token' }),
    domain: z.string(),
    is_domain_verified: z.boolean().meta({ description: 'Sign-ins work only while it is' }),
    role: z.enum(ROLES).nullable().meta({ description: 'The role that a sign-in would have' }),
    membership: z.enum(['linked', 'member', 'new']).nullable().meta({
      description:
        'linked: a member who has signed in with SSO; member: one who must confirm it once with a password or passkey; new: a person who would join',
    }),
  }),
  failures: ['invalid_sso_login'],
});
export type SsoTestReply = z.infer<typeof finishSsoTest.reply>;
