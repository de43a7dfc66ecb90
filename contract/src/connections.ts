import { z } from 'zod';
import { KEY_MODES, keySettings } from './api-keys.ts';
import { CHANNELS } from './channels.ts';
import { expirySeconds, messageTemplate } from './code-message.ts';
import { Connection, SYSTEMS } from './connection-list.ts';
import { headerText, headerTextMessage, id, language, requiredText } from './field.ts';
import { route } from './route.ts';

/** Maximum number of connections per account. */
export const CONNECTIONS_MAX = 50;
/** How many hours a replaced secret stays valid, at most and by default. */
export const OVERLAP_HOURS = { max: 168, default: 24 } as const;

const HOURS_MESSAGE = `Enter a whole number of hours from 0 to ${OVERLAP_HOURS.max}.`;
export const CONNECTION_NAME_MESSAGE = 'Please enter a name';

const name = requiredText(CONNECTION_NAME_MESSAGE)
  .max(100, 'Name must be at most 100 characters')
  .refine(headerText, headerTextMessage('Name'));

export const CODE_PLACEHOLDER = '{code}';
export const CODE_PATTERN_MAX = 200;
const LITERAL_MIN = 3;

/** The text around a code: literal, with `{code}` once. */
export const codePattern = z
  .string()
  .trim()
  .max(CODE_PATTERN_MAX, `Code pattern must be at most ${CODE_PATTERN_MAX} characters`)
  .refine((text) => text.split(CODE_PLACEHOLDER).length === 2, 'Code pattern must contain {code} once')
  .refine(
    (text) => text.replace(CODE_PLACEHOLDER, '').replaceAll(/\s/g, '').length >= LITERAL_MIN,
    `Code pattern must have at least ${LITERAL_MIN} characters around {code}`,
  )
  .refine(
    (text) => !/[\p{L}\p{N}]\{code\}|\{code\}[\p{L}\p{N}]/u.test(text),
    'Code pattern must not have a letter or digit next to {code}',
  )
  .refine((text) => !/[^\P{Cc}\n\r\t]/u.test(text), 'Code pattern must not contain control characters')
  .refine((text) => text.isWellFormed(), 'Code pattern must be valid Unicode text');

const settings = {
  message: messageTemplate.nullable().meta({
    description:
      'The text of messages, with {code}, for systems that send only the code; null: the default message of the account',
  }),
  language: language.nullable().meta({
    description:
      'The language of messages and email subjects, for systems that send only the code. `message` takes precedence for the text. If a request names a language, that one is used. Calls, and the lines of an email about validity and misuse, are in English; null: the default message of the account, whatever language a request names',
  }),
  code_pattern: codePattern.nullable().meta({
    description:
      'The literal text around the code, with {code} in its place, such as `PIN: {code}`, for systems that send whole texts; null, or if a text does not match: the code is the only run of 4 to 10 digits, or the only one of six',
  }),
  code_expires_in: expirySeconds.nullable().meta({
    description:
      'How long the codes of the system are valid, in seconds, 60 to 3600, as configured there. During this time, messages are retried and repeated requests are recognized; null: the default of the account',
  }),
  expires_at: keySettings.expires_at,
  allowed_networks: keySettings.allowed_networks,
  daily_credit_limit: keySettings.daily_credit_limit,
};

const setting = z.object({
  name: z.string().meta({ description: "The setting's name in the system" }),
  value: z.string(),
});

export const NewConnection = Connection.extend({
  secret: z.string().meta({ description: 'The secret. Returned only once' }),
  settings: z.array(setting).meta({ description: 'What to enter in the system, filled in' }),
});
export type NewConnection = z.infer<typeof NewConnection>;

export const createConnection = route('POST /connections/', {
  name: 'createConnection',
  tag: 'connections',
  auth: 'bearer',
  stepUp: true,
  summary: `Connect a system that makes and verifies its codes, at most ${CONNECTIONS_MAX} per account`,
  description:
    'The system sends its requests to an address of the connection, and Sixdigit delivers the codes. Lists and logs show the name of the connection instead of that of an API key.',
  body: z.object({
    system: z.enum(SYSTEMS, { error: `System must be one of: ${SYSTEMS.join(', ')}.` }),
    name,
    mode: z
      .enum(KEY_MODES, { error: `Mode must be one of: ${KEY_MODES.join(', ')}.` })
      .optional()
      .meta({
        description:
          'With test, messages go only to the test inbox and cost nothing. It cannot be changed. Default: live',
      }),
    message: settings.message.optional(),
    language: settings.language.optional(),
    code_pattern: settings.code_pattern.optional(),
    code_expires_in: settings.code_expires_in.optional(),
    expires_at: settings.expires_at.optional(),
    allowed_networks: settings.allowed_networks.optional(),
    daily_credit_limit: settings.daily_credit_limit.optional(),
  }),
  status: 201,
  reply: NewConnection,
  failures: ['connection_limit_reached'],
});

export const updateConnection = route('PUT /connections/:id/', {
  name: 'updateConnection',
  tag: 'connections',
  auth: 'bearer',
  stepUp: { when: 'anything but the name changes' },
  summary: 'Change a connection',
  description:
    'Omitted fields stay unchanged. A change applies from the next request. `secret` is for systems that make the secret themselves, such as Zitadel: the old one stays valid for 24 hours.',
  body: z.object({
    name: name.optional(),
    message: settings.message.optional(),
    language: settings.language.optional(),
    code_pattern: settings.code_pattern.optional(),
    code_expires_in: settings.code_expires_in.optional(),
    expires_at: settings.expires_at.optional(),
    allowed_networks: settings.allowed_networks.optional(),
    daily_credit_limit: settings.daily_credit_limit.optional(),
    secret: z.string().max(200, 'Secret must be at most 200 characters').optional().meta({
      description:
        'The secret that the system has made: 16 to 200 visible characters. Zitadel makes one for each provider: separate them with a comma. For systems that sign as in Standard Webhooks (supabase, webhook), whsec_ must be followed by padded base64 of at least 16 bytes',
    }),
  }),
  reply: Connection,
  failures: ['not_found'],
});

export const deleteConnection = route('DELETE /connections/:id/', {
  name: 'deleteConnection',
  tag: 'connections',
  auth: 'bearer',
  stepUp: true,
  summary: 'Delete a connection; it stops working within a second',
  failures: ['not_found'],
});

export const rotateConnection = route('POST /connections/:id/rotate/', {
  name: 'rotateConnection',
  tag: 'connections',
  auth: 'bearer',
  stepUp: true,
  summary: 'Replace the secret of a connection',
  description:
    'The old secret stays valid for valid_hours. Rotating again within that time invalidates it immediately.',
  body: z.object({
    valid_hours: z
      .number({ error: HOURS_MESSAGE })
      .int(HOURS_MESSAGE)
      .min(0, HOURS_MESSAGE)
      .max(OVERLAP_HOURS.max, HOURS_MESSAGE)
      .optional()
      .meta({ description: `0 to ${OVERLAP_HOURS.max}. Default ${OVERLAP_HOURS.default}` }),
  }),
  reply: NewConnection,
  failures: ['not_found'],
});

export const ConnectionTest = z.object({
  request: z
    .object({
      method: z.literal('POST'),
      url: z.string(),
      headers: z.array(z.object({ name: z.string(), value: z.string() })),
      body: z.string(),
    })
    .meta({ description: 'What the system would send. The secret is hidden' }),
  response: z
    .object({ status: z.number().int(), content_type: z.string().nullable(), body: z.string() })
    .meta({ description: 'Our response' }),
  otp_id: id.nullable().meta({ description: 'The verification; null if the request was refused' }),
  message: z.string().nullable().meta({ description: 'The text that the recipient gets' }),
  reason: z.string().nullable().meta({
    description:
      'The reason of a refusal, as POST /otp/send/ would return it. The system often does not show it to the person who signs in',
  }),
  error: z.string().nullable().meta({ description: "The reason's sentence" }),
});
export type ConnectionTest = z.infer<typeof ConnectionTest>;

export const testConnection = route('POST /connections/:id/test/', {
  name: 'testConnection',
  tag: 'connections',
  auth: 'bearer',
  stepUp: { when: 'the connection is live' },
  summary: 'Test a connection with a request as the system would send it',
  description:
    'Makes the request that the system would make, signed with the current secret, and returns it with our response and the message. A live connection sends the message and costs credits. If the connection allows only certain networks, the request appears to come from the first of them.',
  body: z.object({
    kind: z
      .enum(CHANNELS, { error: 'Choose one of the endpoints of the connection.' })
      .optional()
      .meta({ description: 'Default: the first endpoint' }),
    recipient: z.string().trim().max(320, 'Recipient is too long.').optional().meta({
      description:
        'Default: a test recipient for a test connection; your own address or phone number for a live one',
    }),
  }),
  reply: ConnectionTest,
  fieldErrors: true,
  failures: ['not_found'],
});
