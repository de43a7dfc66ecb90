import { z } from 'zod';
import { KEY_MODES } from './api-keys.ts';
import { CHANNELS } from './channels.ts';
import { credits, id, optionalTime, time } from './field.ts';
import { LANGUAGES } from './languages.ts';
import { route } from './route.ts';
import { wholeText } from './viewer-texts.ts';

/** The systems that can be connected. They make and verify their codes, and Sixdigit delivers them. */
export const SYSTEMS = [
  'supabase',
  'zitadel',
  'kratos',
  'logto',
  'authentik',
  'keycloak',
  'fusionauth',
  'novu',
  'webhook',
  'twilio-messages',
] as const;
export type SystemName = (typeof SYSTEMS)[number];

const endpoint = z.object({
  kind: z.enum(CHANNELS),
  url: wholeText.meta({ description: 'The address to enter in the system' }),
});

export const Connection = z.object({
  id,
  system: z.enum(SYSTEMS),
  name: wholeText,
  mode: z.enum(KEY_MODES),
  api_key_id: id.meta({ description: 'The key under which its rows appear in lists and logs' }),
  endpoints: z.array(endpoint),
  message: z.string().nullable(),
  language: z.enum(LANGUAGES).nullable(),
  code_pattern: z.string().nullable(),
  code_expires_in: z.number().int().nullable(),
  expires_at: optionalTime,
  allowed_networks: z.array(wholeText),
  daily_credit_limit: credits.nullable(),
  spent_today: credits.nullable().meta({
    description: 'Credits spent in the current UTC day; null without a daily limit',
  }),
  created_at: time,
  last_used_at: optionalTime,
  previous_secret_until: optionalTime.meta({
    description: 'Until when the secret from before the last rotation is valid',
  }),
  wrong_signatures: z
    .number()
    .int()
    .meta({ description: 'Requests that were refused because they had no valid secret or signature' }),
  wrong_signature_at: optionalTime,
  last_error: wholeText.nullable().meta({ description: 'The reason of the last refused request' }),
  last_error_at: optionalTime,
});
export type Connection = z.infer<typeof Connection>;

export const listConnections = route('GET /connections/', {
  name: 'listConnections',
  tag: 'connections',
  auth: 'bearer',
  summary: 'Connections of the account, newest first',
  reply: z.object({ results: z.array(Connection), count: z.number().int() }),
});
