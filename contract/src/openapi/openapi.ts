import type { z } from 'zod';
import { type FailureReason, failures } from '../errors.ts';
import { BLOCKERS } from '../protection/protection.ts';
import { ROLES } from '../roles.ts';
import { API_BASE, paramsOf, type Route } from '../route.ts';
import { routes } from '../routes.ts';
import { TEST_CODE, TEST_DOMAIN, TEST_RECIPIENTS } from '../test-mode.ts';
import { descriptionOf, type Json, reasonsOf, schemaOf } from './describe.ts';

const whole = { type: 'integer', minimum: 0 };

/** Headers of responses, for `components.headers` of the OpenAPI document. */
const HEADERS: Record<string, Json> = {
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

/** References to the headers that a response of this status has. */
function headersOf({ name, auth }: Pick<Route, 'name' | 'auth'>, status: number): Json {
  const isSpending = name === 'sendOtp' && (status === 201 || status === 402);
  const names = [
    'X-Request-Id',
    ...(auth === 'api_key' && status !== 503
      ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
      : []),
    ...(isSpending ? ['X-Spend-Limit-Remaining'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((header) => [header, { $ref: `#/components/headers/${header}` }]));
}

const inPath = (path: string): Json[] =>
  paramsOf(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

const inQuery = (schema: z.ZodType | undefined): Json[] => {
  if (!schema) return [];
  const json = schemaOf(schema, 'input') as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(json.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: (json.required ?? []).includes(name),
    schema: property,
  }));
};

/** Errors of an unparsable body, which also occur on routes without a body. */
const unreadable = ({ method }: Route): readonly FailureReason[] =>
  method === 'GET' ? [] : ['malformed_json', 'body_too_large', 'unsupported_media_type'];

const refusals = (route: Route): Json => {
  const byStatus = new Map<number, FailureReason[]>();
  for (const reason of [...reasonsOf(route), ...unreadable(route)]) {
    const { status } = failures[reason];
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason]);
  }
  // The dashboard's calls also return the first sentence as `error`. The public API does not.
  const shape = route.auth === 'api_key' ? 'FieldErrors' : 'FormErrors';
  const fields =
    route.body || route.query || route.fieldErrors ? [{ $ref: `#/components/schemas/${shape}` }] : [];
  if (fields.length > 0 && !byStatus.has(400)) byStatus.set(400, []);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, some]) => {
        const failure = some.length > 0 ? [{ $ref: '#/components/schemas/Failure', 'x-reasons': some }] : [];
        const anyOf = [...(status === 400 ? fields : []), ...failure];
        const description =
          some.map((reason) => failures[reason].error).join(' · ') || 'A field is missing or invalid';
        return [
          status,
          {
            description,
            headers: headersOf(route, status),
            content: { 'application/json': { schema: anyOf.length === 1 ? anyOf[0] : { anyOf } } },
          },
        ];
      }),
  );
};

const operation = (route: Route): Json => ({
  operationId: route.name,
  tags: [route.tag],
  summary: route.summary,
  ...(descriptionOf(route) ? { description: descriptionOf(route) } : {}),
  security:
    route.auth === 'none'
      ? []
      : [{ [route.auth === 'api_key' ? 'apiKey' : 'bearer']: route.scope ? [route.scope] : [] }],
  parameters: [
    ...inPath(route.path),
    ...inQuery(route.query),
    ...(route.idempotent
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: false,
            schema: { type: 'string', maxLength: 255 },
          },
        ]
      : []),
  ],
  ...(route.body
    ? {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemaOf(route.body, 'input') } },
        },
      }
    : {}),
  responses: {
    [route.status]: route.stream
      ? {
          description: 'Success',
          headers: headersOf(route, route.status),
          content: { [route.stream]: { schema: { type: 'string' } } },
        }
      : route.reply
        ? {
            description: 'Success',
            headers: headersOf(route, route.status),
            content: { 'application/json': { schema: schemaOf(route.reply, 'output') } },
          }
        : { description: 'Success, without a body', headers: headersOf(route, route.status) },
    ...refusals(route),
  },
});

const TEST_KEYS = `A key that begins with sd_test_ sends nothing and costs nothing; the code is ${TEST_CODE}, cut to the length of the account's codes. These test recipients have a fixed outcome: ${TEST_RECIPIENTS.map(
  ({ phone, local, result }) => `${phone} or ${local}@${TEST_DOMAIN}: ${result}`,
).join('; ')}.`;

const ACCOUNT =
  'The access token of a session. The header `X-Account` with the id of an account chooses one of the accounts of the person; without it, the one of the sign-up. Each call names the lowest role that it needs in the account. Members with the role viewer get recipients masked.';

const SENTENCES: Json = { type: 'array', minItems: 1, items: { type: 'string' } };

/**
 * The OpenAPI 3.1 description of every call, generated from the contract that the server uses. Operators' calls are in a
 * separate document.
 */
export function openApi(brand: string, serverUrl: string, described: readonly Route[] = routes): Json {
  const paths: Record<string, Json> = {};
  for (const route of described) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${brand} API`,
      version: '1.0.0',
      description: `Base path ${API_BASE}. Every path works with and without a trailing slash, so linter rules against trailing slashes can be disabled. Bodies are JSON in UTF-8, without a content coding. In an optional field, null is the same as omitting the field, unless its description gives null a meaning. An unsupported method gets 405 with \`Allow\`.`,
    },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: `An API key of the account. Each call names the scope that the key needs. ${TEST_KEYS}`,
        },
        bearer: { type: 'http', scheme: 'bearer', description: ACCOUNT },
      },
      headers: HEADERS,
      schemas: {
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
          description:
            'The error messages of each missing or invalid field, and the first of them as `error`',
          required: ['error'],
          properties: { error: { type: 'string' } },
          additionalProperties: SENTENCES,
        },
      },
    },
  };
}
