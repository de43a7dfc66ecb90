import { z } from 'zod';
import type { FailureReason } from '../errors.ts';
import type { Route } from '../route.ts';

/** The parts of a route for documentation: its shapes as JSON Schema, and all its errors. */
export type Json = Record<string, unknown>;

export const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const override = (z.globalRegistry.get(zodSchema) as { override?: Json } | undefined)?.override;
      if (override) {
        for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Json)[key];
        Object.assign(jsonSchema, override);
      }
    },
  }) as Json;
  return json;
};

const everywhere = {
  none: ['too_many_requests'],
  bearer: ['unauthenticated', 'too_many_requests'],
  api_key: [
    'missing_api_key',
    'invalid_api_key',
    'account_suspended',
    'api_key_expired',
    'network_not_allowed',
  ],
  // Callers who are not operators get the response for an unknown path.
  operator: [
    'not_found',
    'operator_role_required',
    'operator_scope_required',
    'operator_two_factor_required',
    'too_many_requests',
  ],
} as const satisfies Record<Route['auth'], readonly FailureReason[]>;

/** In production, an operator's session needs a recent proof of identity for changes. */
const needsStepUp = ({ stepUp, auth, method }: Route): boolean =>
  stepUp !== undefined || (auth === 'operator' && method !== 'GET');

/** The description, or the summary as a sentence, followed by what the caller needs. */
export const descriptionOf = (route: Route): string =>
  [route.description ?? `${route.summary}.`, needOf(route), proofOf(route)]
    .filter((text) => text !== undefined)
    .join(' ');

function needOf({ auth, scope, operator }: Route): string {
  if (auth === 'none') return 'Needs no authentication.';
  if (auth === 'bearer') return "Needs a user's session.";
  if (auth === 'api_key')
    return scope ? `Needs an API key with the scope \`${scope}\`.` : 'Needs an API key.';
  const own = `Needs an operator's session${operator?.role === 'admin' ? ' with the role admin' : ''}`;
  return operator?.scope ? `${own}, or an operator key with the scope \`${operator.scope}\`.` : `${own}.`;
}

function proofOf({ stepUp }: Route): string | undefined {
  if (!stepUp) return undefined;
  const when = stepUp === true ? '' : ` if ${stepUp.when}`;
  return `Requires a proof of identity from the last 15 minutes${when}: a sign-in, or \`POST /auth/step-up/\`.`;
}

export const reasonsOf = (route: Route): readonly FailureReason[] => [
  ...new Set<FailureReason>([
    ...everywhere[route.auth],
    ...(route.scope ? (['missing_scope'] as const) : []),
    ...(needsStepUp(route) ? (['step_up_required'] as const) : []),
    ...(route.failures ?? []),
    ...(route.query && (route.auth === 'bearer' || route.auth === 'operator')
      ? (['list_timeout'] as const)
      : []),
    'internal_error',
    'unavailable',
  ]),
];
