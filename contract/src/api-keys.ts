import { z } from 'zod';
import { id, idParam, oneLine, optionalTime, requiredText, time } from './field.ts';
import { listOf, listQuery } from './list.ts';
import { route } from './route.ts';

/** The format of a key, for secret scanners: prefix, 32 random base62 characters, 6 checksum characters. */
export const API_KEY_PATTERN = /^sd_live_[0-9A-Za-z]{38}$/;
/** Maximum number of active keys per account. */
export const API_KEYS_MAX = 100;
export const API_KEY_NAME_MESSAGE = 'Please enter a key name';

export const ApiKey = z.object({
  id,
  name: z.string(),
  prefix: z.string().meta({ description: 'The first 12 characters, for identification' }),
  created_at: time,
  last_used_at: optionalTime,
});
export type ApiKey = z.infer<typeof ApiKey>;

export const NewApiKey = ApiKey.extend({
  key: z.string().meta({ description: 'The whole key. Returned only once.' }),
});
export type NewApiKey = z.infer<typeof NewApiKey>;

export const listApiKeys = route({
  name: 'listApiKeys',
  tag: 'api-keys',
  method: 'GET',
  path: '/api-keys/',
  auth: 'bearer',
  summary: 'API keys of the account',
  query: listQuery(['created_at', 'name', 'last_used_at'], '-created_at'),
  status: 200,
  reply: listOf(ApiKey),
});

export const createApiKey = route({
  name: 'createApiKey',
  tag: 'api-keys',
  method: 'POST',
  path: '/api-keys/',
  auth: 'bearer',
  summary: 'Create an API key; an account has at most 100',
  body: z.object({
    name: requiredText(API_KEY_NAME_MESSAGE)
      .max(100, 'Key name must be at most 100 characters')
      .refine(oneLine, 'Key name must be a single line'),
  }),
  status: 201,
  reply: NewApiKey,
  failures: ['api_key_limit_reached'],
});

export const deleteApiKey = route({
  name: 'deleteApiKey',
  tag: 'api-keys',
  method: 'DELETE',
  path: '/api-keys/:id/',
  auth: 'bearer',
  summary: 'Delete an API key; it stops working within a second',
  params: idParam,
  status: 204,
  failures: ['not_found'],
});
