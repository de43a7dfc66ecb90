import type { z } from 'zod';
import { type FailureReason, failures } from '../errors.ts';
import { neededRole, roleException } from '../needed-roles.ts';
import { API_BASE, paramsOf, type Route } from '../route.ts';
import { routes } from '../routes.ts';
import { HEADERS, SCHEMAS, SCHEMES, TAGS } from './components.ts';
import { type Json, reasonsOf, schemaOf } from './describe.ts';

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
  for (const reason of [...reasonsOf(route), ...unreadable(route), ...roleRefusals(route)]) {
    const { status } = failures[reason];
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason]);
  }
  // The dashboard's calls also return the first sentence as `error`. The public API does not.
  const shape = route.auth === 'api_key' ? 'FieldErrors' : 'FormErrors';
  const fields =
    route.body || route.query || route.fieldErrors ? [{ $ref: `#/components/schemas/${shape}` }] : [];
  if (fields.length > 0 && !byStatus.has(400)) byStatus.set(400, []);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => {
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

/** A key may make a member's call that has a scope. */
const schemesOf = ({ auth, scope }: Route): ('apiKey' | 'bearer')[] => {
  if (auth === 'none') return [];
  return auth === 'api_key' ? ['apiKey'] : scope ? ['bearer', 'apiKey'] : ['bearer'];
};

const operation = (route: Route): Json => ({
  operationId: route.name,
  tags: [route.tag],
  summary: route.summary,
  description: descriptionOf(route),
  security: schemesOf(route).map((scheme) => ({ [scheme]: [] })),
  // OpenAPI defines scopes only for OAuth.
  ...(route.scope ? { 'x-scope': route.scope } : {}),
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

/** The parts of the components that the calls refer to. */
const used = (kind: string, components: Record<string, Json>, paths: Json): Json => {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
};

interface Service {
  brand: string;
  /** the base URL of calls */
  serverUrl: string;
  supportEmail: string;
}

/**
 * The OpenAPI 3.1 description of every call, generated from the contract that the server uses. Operators' calls are in a
 * separate document.
 */
export function openApi(
  { brand, serverUrl, supportEmail }: Service,
  described: readonly Route[] = routes,
): Json {
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
      contact: { name: `${brand} support`, email: supportEmail },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS)
      .filter(([name]) => described.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        Object.entries(SCHEMES).filter(([name]) =>
          described.some((route) => schemesOf(route).some((scheme) => scheme === name)),
        ),
      ),
      headers: used('headers', HEADERS, paths),
      schemas: used('schemas', SCHEMAS, paths),
    },
  };
}

// The dashboard loads `describe.ts` for calls with an API key, which need no role. So roles are not described there.

/** The error for a role that is too low, of calls that some members may not make. */
function roleRefusals(route: Route): readonly FailureReason[] {
  const needed = neededRole(route);
  const isForAll = needed === undefined || (needed === 'viewer' && roleException(route) === undefined);
  return isForAll ? [] : ['role_too_low'];
}

/** The description, or the summary as a sentence, followed by what the caller needs. */
const descriptionOf = (route: Route): string =>
  [route.description ?? `${route.summary}.`, needOf(route), roleOf(route), proofOf(route)]
    .filter((text) => text !== undefined)
    .join(' ');

function needOf({ auth, scope, operator }: Route): string {
  if (auth === 'none') return 'Needs no authentication.';
  if (auth === 'bearer' && scope)
    return `Needs a user's session, or a live API key with the scope \`${scope}\`.`;
  if (auth === 'person' || auth === 'bearer') return "Needs a user's session.";
  if (auth === 'api_key')
    return scope ? `Needs an API key with the scope \`${scope}\`.` : 'Needs an API key.';
  const own = `Needs an operator's session${operator?.role === 'admin' ? ' with the role admin' : ''}`;
  return operator?.scope ? `${own}, or an operator key with the scope \`${operator.scope}\`.` : `${own}.`;
}

function roleOf(route: Route): string | undefined {
  const needed = neededRole(route);
  if (needed === undefined) return undefined;
  const but = roleException(route);
  return `Requires the role ${needed}${needed === 'owner' ? '' : ' or a higher one'}${but === undefined ? '' : `; ${but}`}.`;
}

function proofOf({ stepUp }: Route): string | undefined {
  if (!stepUp) return undefined;
  const when = stepUp === true ? '' : ` if ${stepUp.when}`;
  return `Requires a proof of identity from the last 15 minutes${when}: a sign-in, or \`POST /auth/step-up/\`.`;
}
