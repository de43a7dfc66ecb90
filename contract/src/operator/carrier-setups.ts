import { z } from 'zod';
import { CHANNELS, type Channel } from '../channels.ts';
import { oneLine, optionalTime } from '../field.ts';
import { adminRoute, reason, supportRoute } from './operator.ts';

/** The kinds of carriers, with the fields that each needs. The server validates by this table, and the dashboard draws its forms. */
export const CARRIER_KINDS = ['smtp', 'twilio', 'http'] as const;
export type CarrierKind = (typeof CARRIER_KINDS)[number];

export type CarrierFieldName =
  | 'host'
  | 'port'
  | 'encryption'
  | 'username'
  | 'password'
  | 'account_sid'
  | 'auth_token'
  | 'from'
  | 'api_url'
  | 'url'
  | 'secret';

export interface CarrierField {
  name: CarrierFieldName;
  label: string;
  help: string;
  placeholder?: string;
  isOptional?: true;
  /** Stored encrypted and never returned. */
  isSecret?: true;
  /** Where the secret is sent. A change of such a field needs the secret again. */
  receivesSecret?: true;
  options?: readonly { value: string; label: string }[];
}

interface KindFacts {
  label: string;
  help: string;
  serves: readonly Channel[];
  fields: readonly CarrierField[];
}

export const CARRIER_KIND_FACTS: Record<CarrierKind, KindFacts> = {
  smtp: {
    label: 'SMTP',
    help: 'A mail server, or the SMTP access of a mail provider.',
    serves: ['email'],
    fields: [
      {
        name: 'host',
        label: 'Mail server',
        help: 'Its host name, without smtp:// and without a port.',
        placeholder: 'smtp.example.com',
        receivesSecret: true,
      },
      {
        name: 'encryption',
        label: 'Encryption',
        help: 'With a password, the connection is always encrypted.',
        receivesSecret: true,
        options: [
          { value: 'starttls', label: 'STARTTLS (usually port 587)' },
          { value: 'tls', label: 'TLS from the start (usually port 465)' },
        ],
      },
      {
        name: 'port',
        label: 'Port',
        help: 'Leave empty for the usual port.',
        placeholder: '587',
        isOptional: true,
        receivesSecret: true,
      },
      {
        name: 'username',
        label: 'User name',
        help: 'Leave empty if the server needs no login.',
        isOptional: true,
        receivesSecret: true,
      },
      {
        name: 'password',
        label: 'Password',
        help: 'Many providers call it an SMTP key or an app password.',
        isOptional: true,
        isSecret: true,
      },
      {
        name: 'from',
        label: 'Sender',
        help: 'An address that the mail server may send from, with or without a name.',
        placeholder: 'Acme <no-reply@example.com>',
      },
    ],
  },
  twilio: {
    label: 'Twilio',
    help: 'Twilio, or a carrier with a compatible API.',
    serves: ['sms', 'voice'],
    fields: [
      {
        name: 'account_sid',
        label: 'Account SID',
        help: 'On the home page of the Twilio console, under Account Info.',
        placeholder: 'AC…',
        receivesSecret: true,
      },
      {
        name: 'auth_token',
        label: 'Auth token',
        help: 'Next to the Account SID. It also proves that delivery reports come from Twilio.',
        isSecret: true,
      },
      {
        name: 'from',
        label: 'Sender',
        help: 'A number, a short code, a sender name or a messaging service (MG…). Calls need a number.',
        placeholder: '+15551234567',
      },
      {
        name: 'api_url',
        label: 'API address',
        help: 'Only for a compatible carrier. Leave empty for Twilio.',
        placeholder: 'https://api.twilio.com',
        isOptional: true,
        receivesSecret: true,
      },
    ],
  },
  http: {
    label: 'HTTP gateway',
    help: 'Your own program in front of any carrier. It gets each message as a signed JSON POST.',
    serves: CHANNELS,
    fields: [
      {
        name: 'url',
        label: 'URL',
        help: 'Receives every message, with its code.',
        placeholder: 'https://gateway.example.com/send',
      },
      {
        name: 'secret',
        label: 'Signing secret',
        help: 'Signs messages and delivery reports (Standard Webhooks). At least 16 bytes: base64 after whsec_, or other text.',
        isSecret: true,
      },
    ],
  },
};

/** The names of the carriers that the environment sets up, of the inbox and of simulated sends. */
export const RESERVED_CARRIER_NAMES: readonly string[] = [...CARRIER_KINDS, 'sandbox', 'test'];

const NAME_MESSAGE = 'Use 2 to 32 lower-case letters, digits and hyphens, beginning with a letter';
const carrierName = z
  .string()
  .trim()
  .regex(/^[a-z][a-z0-9-]{0,30}[a-z0-9]$/, NAME_MESSAGE)
  .refine(
    (name) => !RESERVED_CARRIER_NAMES.includes(name),
    'Carriers of the environment have this name. Choose another one, such as twilio-eu',
  );

const channel = z.enum(CHANNELS, { error: `Channel must be one of: ${CHANNELS.join(', ')}.` });
const channels = z
  .array(channel, { error: 'Choose at least one channel' })
  .min(1, 'Choose at least one channel')
  .max(CHANNELS.length, 'Name each channel once');

const text = z
  .string({ error: 'Must be text' })
  .trim()
  .max(1_000, 'At most 1,000 characters')
  .refine(oneLine, 'Must be a single line')
  .optional();
/** Which of them a carrier needs depends on its kind. An empty secret keeps the stored one. */
const fields = {
  host: text,
  port: text,
  encryption: text,
  username: text,
  password: text,
  account_sid: text,
  auth_token: text,
  from: text,
  api_url: text,
  url: text,
  secret: text,
} satisfies Record<CarrierFieldName, typeof text>;

const isEnabled = z.boolean({ error: 'Must be true or false.' });

export const CarrierSetup = z.object({
  name: z.string().meta({ description: 'Customers see it in the history of a verification' }),
  kind: z.enum(CARRIER_KINDS),
  source: z.enum(['environment', 'console']).meta({
    description: 'Only carriers of the console can be changed by these calls',
  }),
  channels: z.array(channel),
  is_enabled: z.boolean(),
  version: z.number().int().meta({ description: '0 for a carrier of the environment' }),
  fields: z.array(
    z.object({
      name: z.string(),
      value: z.string().nullable().meta({ description: 'null for secrets and for fields that are not set' }),
      is_set: z.boolean(),
      last4: z.string().nullable().meta({ description: 'The end of a long secret' }),
      setting: z.string().nullable().meta({ description: 'The environment variable that sets it' }),
    }),
  ),
  inbound_url: z.string().nullable().meta({ description: 'Address for replies such as STOP' }),
  problem: z.string().nullable().meta({ description: 'Why the carrier is not used although it is on' }),
  changed_at: optionalTime,
  changed_by: z.string().nullable(),
});
export type CarrierSetup = z.infer<typeof CarrierSetup>;

const reply = z.object({ setups: z.array(CarrierSetup) });

export const MOST_STORED_CARRIERS = 20;

export const listCarrierSetups = supportRoute('carriers:read', 'GET /operator/carrier-setups/', {
  name: 'listCarrierSetups',
  summary: 'Every configured carrier, from the environment and from the console, without its secrets',
  reply,
});
export const createCarrierSetup = adminRoute(null, 'POST /operator/carrier-setups/', {
  name: 'createCarrierSetup',
  summary: 'Add a carrier',
  description:
    'Every process uses it within a second. Its secrets are stored encrypted under the server key and are never returned. Operator keys cannot make this call.',
  body: z.object({
    name: carrierName,
    kind: z.enum(CARRIER_KINDS, { error: `Kind must be one of: ${CARRIER_KINDS.join(', ')}.` }),
    channels,
    is_enabled: isEnabled.default(true),
    ...fields,
    reason,
  }),
  status: 201,
  reply,
});
export const updateCarrierSetup = adminRoute(null, 'PUT /operator/carrier-setups/:name/', {
  name: 'updateCarrierSetup',
  summary: 'Change a carrier of the console, or replace its credentials',
  description:
    'An empty secret keeps the stored one, unless a field changes that says where the secret is sent. Messages in flight end with the carrier as it was. Operator keys cannot make this call.',
  body: z.object({
    channels,
    is_enabled: isEnabled,
    ...fields,
    version: z.number().int().min(0).meta({ description: 'The version that was read' }),
    reason,
  }),
  reply,
  failures: ['changed_meanwhile'],
});
export const removeCarrierSetup = adminRoute(null, 'POST /operator/carrier-setups/:name/remove/', {
  name: 'removeCarrierSetup',
  summary: 'Delete a carrier of the console with its credentials and routes',
  description:
    'The carrier must be turned off, and no message in flight may need it. Operator keys cannot make this call.',
  body: z.object({
    version: z.number().int().min(0).meta({ description: 'The version that was read' }),
    reason,
  }),
  reply,
  failures: ['changed_meanwhile'],
});
