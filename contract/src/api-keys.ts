import { z } from 'zod';
import { credits, headerText, headerTextMessage, id, optionalTime, requiredText, time } from './field.ts';
import { listOf, listQuery } from './list.ts';
import { moment } from './moment.ts';
import { requireProof } from './proof.ts';
import { API_SCOPES, route } from './route.ts';
import { creditLimit } from './spend.ts';
import { wholeText } from './viewer-texts.ts';

export { API_SCOPES, type ApiScope, DEFAULT_SCOPES } from './route.ts';

/** The format of a key, for secret scanners: prefix, 32 base62 characters (of them 30 random), 6 checksum characters. */
export const API_KEY_PATTERN = /^sd_(?:live|test)_[0-9A-Za-z]{38}$/;
/** Maximum number of active keys per account. */
export const API_KEYS_MAX = 100;
export const API_KEY_NAME_MESSAGE = 'Please enter a key name';

export const KEY_MODES = ['live', 'test'] as const;
export type KeyMode = (typeof KEY_MODES)[number];
export const NETWORKS_MAX = 50;
export const NOTE_MAX = 500;
/** The longest time in days for which a rotated secret stays valid. */
export const ROTATION_DAYS_MAX = 7;

const NETWORK_MESSAGE = 'Enter IP addresses or networks, such as 203.0.113.7 or 203.0.113.0/24.';
const SCOPES_MESSAGE = `Scopes must be among: ${API_SCOPES.join(', ')}.`;
const EXPIRY_MESSAGE = 'Enter a date and time, such as 2030-01-31T00:00:00Z.';
const DAYS_MESSAGE = `Enter a whole number of days from 0 to ${ROTATION_DAYS_MAX}.`;

const network = z
  .string({ error: NETWORK_MESSAGE })
  .trim()
  .pipe(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: NETWORK_MESSAGE }));

const isReasonable = (text: string): boolean => {
  const year = new Date(text).getUTCFullYear();
  return year >= 2000 && year < 9999;
};

const settings = {
  scopes: z
    .array(z.enum(API_SCOPES, { error: SCOPES_MESSAGE }), { error: SCOPES_MESSAGE })
    .min(1, 'Choose at least one scope.')
    .overwrite((scopes) => API_SCOPES.filter((scope) => scopes.includes(scope)))
    .meta({
      description:
        'What the key may do: otp:send to send and cancel, otp:verify to verify, otp:read to read a status, otp:own_code to send codes that the caller has made and to report their outcome, events:read to follow requests and webhook messages of all keys, verify_services:write to change live services, rate limits and the safe list through the calls of Twilio Verify, limits:write to read and change the limits that sends name, templates:write to read and change templates, recipients:write to import, count and delete known recipients, and to read and change suppressed addresses',
    }),
  expires_at: moment(EXPIRY_MESSAGE)
    .refine(isReasonable, EXPIRY_MESSAGE)
    .nullable()
    .meta({ description: 'When the key expires; null: never' }),
  allowed_networks: z
    .array(network, { error: NETWORK_MESSAGE })
    .max(NETWORKS_MAX, `Enter at most ${NETWORKS_MAX} networks.`)
    .meta({ description: 'IP addresses and networks that may use the key. Empty: every network' }),
  daily_credit_limit: creditLimit.meta({
    description:
      'The most credits that sends with this key may cost in a UTC day; null: no limit. Spending is counted from the time of the first limit',
  }),
  require_proof: requireProof.meta({
    description:
      'When sends with this key need a proof of work. The account’s setting also applies to live keys, and the stricter of the two counts. Default: never',
  }),
  note: z
    .string()
    .trim()
    .max(NOTE_MAX, `Note must be at most ${NOTE_MAX} characters`)
    .refine(
      (text) => text.isWellFormed() && !/[^\P{Cc}\n\r\t]/u.test(text),
      'Note must not contain control characters',
    ),
};

const name = requiredText(API_KEY_NAME_MESSAGE)
  .max(100, 'Key name must be at most 100 characters')
  .refine(headerText, headerTextMessage('Key name'));

/** The settings that keys and connections share. */
export const keySettings = settings;

export const ApiKey = z.object({
  id,
  name: wholeText,
  prefix: wholeText.meta({ description: 'The first 14 characters (12 of older keys), for identification' }),
  mode: z.enum(KEY_MODES),
  scopes: z.array(z.enum(API_SCOPES)),
  expires_at: optionalTime,
  allowed_networks: z.array(wholeText),
  daily_credit_limit: credits.nullable(),
  spent_today: credits.nullable().meta({
    description: 'Credits spent on sends in the current UTC day; null for a key without a daily limit',
  }),
  require_proof: requireProof,
  note: z.string(),
  created_at: time,
  last_used_at: optionalTime.meta({ description: 'The last use of the current secret' }),
  retired: z
    .object({
      prefix: wholeText,
      valid_until: time,
      last_used_at: optionalTime,
    })
    .nullable()
    .meta({ description: 'The previous secret, while it is valid' }),
  created_by: z.object({ id, email: wholeText.nullable(), is_member: z.boolean() }).nullable().meta({
    description:
      'The person who made or last rotated the key, and whether they still are a member of the account. Null for keys from before accounts had members',
  }),
});
export type ApiKey = z.infer<typeof ApiKey>;

export const NewApiKey = ApiKey.extend({
  key: z.string().meta({ description: 'The whole key. Returned only once.' }),
});
export type NewApiKey = z.infer<typeof NewApiKey>;

export const listApiKeys = route('GET /api-keys/', {
  name: 'listApiKeys',
  tag: 'api-keys',
  auth: 'bearer',
  summary: 'API keys of the account',
  query: listQuery(['created_at', 'name', 'last_used_at'], '-created_at'),
  reply: listOf(ApiKey),
});

export const createApiKey = route('POST /api-keys/', {
  name: 'createApiKey',
  tag: 'api-keys',
  auth: 'bearer',
  stepUp: true,
  summary: 'Create an API key, at most 100 per account',
  description:
    'If only the name is given, the key is live, has every scope except otp:own_code, events:read, verify_services:write, limits:write, templates:write and recipients:write, never expires, and works from every network.',
  body: z.object({
    name,
    mode: z
      .enum(KEY_MODES, { error: `Mode must be one of: ${KEY_MODES.join(', ')}.` })
      .optional()
      .meta({
        description:
          'A test key sends nothing and costs nothing. The mode of a key cannot be changed. Default: live',
      }),
    scopes: settings.scopes.optional(),
    expires_at: settings.expires_at.optional(),
    allowed_networks: settings.allowed_networks.optional(),
    daily_credit_limit: settings.daily_credit_limit.optional(),
    require_proof: settings.require_proof.optional(),
    note: settings.note.optional(),
  }),
  status: 201,
  reply: NewApiKey,
  failures: ['api_key_limit_reached'],
});

export const KeyRules = z.object({
  live_keys_need_admin: z.boolean({ error: 'Must be true or false.' }).meta({
    description:
      'Whether only owners and admins may create, change and rotate live keys and live connections, and test with them',
  }),
});
export type KeyRules = z.infer<typeof KeyRules>;

export const getKeyRules = route('GET /api-keys/rules/', {
  name: 'getKeyRules',
  tag: 'api-keys',
  auth: 'bearer',
  summary: 'Who may create API keys',
  reply: KeyRules,
});

export const updateKeyRules = route('PUT /api-keys/rules/', {
  name: 'updateKeyRules',
  tag: 'api-keys',
  auth: 'bearer',
  stepUp: true,
  summary: 'Change who may create API keys',
  description: 'Existing keys and connections keep working. Developers can delete live ones in any case.',
  body: KeyRules,
  reply: KeyRules,
});

export const updateApiKey = route('PUT /api-keys/:id/', {
  name: 'updateApiKey',
  tag: 'api-keys',
  auth: 'bearer',
  stepUp: { when: 'anything but the name or the note changes' },
  summary: 'Change an API key',
  description: 'Omitted fields stay unchanged. A change applies from the next request.',
  body: z.object({
    name: name.optional(),
    scopes: settings.scopes.optional(),
    expires_at: settings.expires_at.optional(),
    allowed_networks: settings.allowed_networks.optional(),
    daily_credit_limit: settings.daily_credit_limit.optional(),
    require_proof: settings.require_proof.optional(),
    note: settings.note.optional(),
  }),
  reply: ApiKey,
  failures: ['not_found'],
});

export const rotateApiKey = route('POST /api-keys/:id/rotate/', {
  name: 'rotateApiKey',
  tag: 'api-keys',
  auth: 'bearer',
  stepUp: true,
  summary: 'Rotate the secret of an API key',
  description:
    'The old secret stays valid for valid_days. Rotating the key again within that time invalidates it immediately.',
  body: z.object({
    valid_days: z
      .number({ error: DAYS_MESSAGE })
      .int(DAYS_MESSAGE)
      .min(0, DAYS_MESSAGE)
      .max(ROTATION_DAYS_MAX, DAYS_MESSAGE),
  }),
  reply: NewApiKey,
  failures: ['not_found'],
});

export const deleteApiKey = route('DELETE /api-keys/:id/', {
  name: 'deleteApiKey',
  tag: 'api-keys',
  auth: 'bearer',
  stepUp: true,
  summary: 'Delete an API key; it stops working within a second',
  failures: ['not_found'],
});
