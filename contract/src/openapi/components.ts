import { failures } from '../errors.ts';
import { Challenge, PROOF_PROBLEMS } from '../proof.ts';
import { BLOCKERS } from '../protection/protection.ts';
import { ROLES } from '../roles.ts';
import type { Tag } from '../route.ts';
import { SUPPRESSION_REASONS } from '../suppressions.ts';
import { TEST_CODE, TEST_DOMAIN, TEST_RECIPIENTS } from '../test-mode.ts';
import { type Json, schemaOf } from './describe.ts';

/** The parts of the OpenAPI document that several calls refer to. */

const whole = { type: 'integer', minimum: 0 };

export const TAGS: Record<Tag, string> = {
  otp: 'Sending and verifying codes with an API key',
  auth: 'Sign-up, sign-in and sessions of users',
  account: "The user's profile, second factors and audit log",
  'api-keys': 'API keys: scopes, limits and rotation',
  limits: 'Limits of your own on sends per value, such as an address',
  connections: 'Auth systems that make their own codes and send them through this service',
  verifications: 'Verifications: lists, exports and live changes',
  logs: 'Requests made with API keys',
  insights: 'Counts of verifications over time',
  webhooks: 'Webhook endpoints, their messages and delivery attempts',
  templates: 'Named texts of an account',
  protection: 'Rules against fraudulent destinations, and spend limits',
  payments: 'Credits, prices, cards and receipts',
  operator: 'Calls for the operators of this service',
};

/** Headers of responses, for `components.headers` of the OpenAPI document. */
export const HEADERS: Record<string, Json> = {
  'X-Request-Id': { description: 'Identifies the request in the log', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Requests per second that the key may make', schema: whole },
  'RateLimit-Remaining': { description: 'Requests remaining in the current second', schema: whole },
  'RateLimit-Reset': { description: 'Seconds until the limit resets', schema: whole },
  'X-Spend-Limit-Remaining': {
    description:
      'Credits left before the nearest spend limit of the account or the key. Absent if neither has a limit',
    schema: whole,
  },
  'Retry-After': { description: 'Seconds to wait', schema: whole },
};

const TEST_KEYS = `A key that begins with sd_test_ sends nothing and costs nothing; the code is ${TEST_CODE}, cut to the length of the account's codes. These test recipients have a fixed outcome: ${TEST_RECIPIENTS.map(
  ({ phone, local, result }) => `${phone} or ${local}@${TEST_DOMAIN}: ${result}`,
).join('; ')}.`;

export const SCHEMES: Record<'apiKey' | 'bearer', Json> = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: `An API key of the account. Each call names the scope that the key needs. ${TEST_KEYS}`,
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The access token of a session. The header `X-Account` with the id of an account chooses one of the accounts of the person; without it, the one of the sign-up. Each call names the lowest role that it needs in the account. Members with the role viewer get recipients masked.',
  },
};

const SENTENCES: Json = { type: 'array', minItems: 1, items: { type: 'string' } };

export const SCHEMAS: Record<string, Json> = {
  Failure: {
    type: 'object',
    required: ['error', 'reason'],
    properties: {
      error: { type: 'string' },
      reason: { type: 'string', enum: Object.keys(failures) },
      attempts_remaining: { type: 'integer' },
      retry_after: { type: 'integer', description: 'seconds' },
      expires_at: { type: 'string', format: 'date-time' },
      blocked_by: {
        type: 'array',
        items: { type: 'string', enum: BLOCKERS },
        description: 'destination_blocked: the rules that block the destination',
      },
      blocked_until: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'destination_blocked: when the block ends; null if it does not expire',
      },
      suppressed_for: {
        type: 'string',
        enum: SUPPRESSION_REASONS,
        description: 'recipient_suppressed: why the address gets no messages',
      },
      challenge: {
        ...schemaOf(Challenge, 'output'),
        description: 'proof_required, invalid_proof: a challenge for the repeated send',
      },
      problem: { type: 'string', enum: PROOF_PROBLEMS, description: 'invalid_proof: why' },
      suppressed_since: { type: 'string', format: 'date-time', description: 'recipient_suppressed' },
      resets_at: {
        type: 'string',
        format: 'date-time',
        description: 'spend_limit_reached: when the limit resets',
      },
      needs: {
        type: 'string',
        enum: ROLES,
        description: 'role_too_low: the lowest role that may do this',
      },
      scope: { type: 'string', description: 'missing_scope: the scope that the key lacks' },
    },
  },
  FieldErrors: {
    type: 'object',
    description: 'The error messages of each missing or invalid field',
    additionalProperties: SENTENCES,
  },
  FormErrors: {
    type: 'object',
    description: 'The error messages of each missing or invalid field, and the first of them as `error`',
    required: ['error'],
    properties: { error: { type: 'string' } },
    additionalProperties: SENTENCES,
  },
};
