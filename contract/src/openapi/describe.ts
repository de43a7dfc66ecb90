import { z } from 'zod';
import type { FailureReason } from '../errors.ts';
import { neededRole, roleException } from '../needed-roles.ts';
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
  bearer: ['unauthenticated', 'not_found', 'sso_required', 'too_many_requests'],
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

/** Whether the role of some members does not suffice for some requests. */
const canBeTooLow = (route: Route): boolean => {
  const needed = neededRole(route);
  return needed !== undefined && (needed !== 'viewer' || roleException(route) !== undefined);
};

/** In production, an operator's session needs a recent proof of identity for changes. */
const needsStepUp = ({ stepUp, auth, method }: Route): boolean =>
  stepUp !== undefined || (auth === 'operator' && method !== 'GET');

/** The description, followed by the call's further requirements. */
export function descriptionOf(route: Route): string | undefined {
  const sentences = [route.description, roleOf(route), proofOf(route)].filter((text) => text !== undefined);
  return sentences.length > 0 ? sentences.join(' ') : undefined;
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

export const reasonsOf = (route: Route): readonly FailureReason[] => [
  ...new Set<FailureReason>([
    ...everywhere[route.auth],
    ...(route.scope ? (['missing_scope'] as const) : []),
    ...(canBeTooLow(route) ? (['role_too_low'] as const) : []),
    ...(needsStepUp(route) ? (['step_up_required'] as const) : []),
    ...(route.ownProof ? (['sso_session'] as const) : []),
    ...(route.failures ?? []),
    ...(route.query && (route.auth === 'bearer' || route.auth === 'operator')
      ? (['list_timeout'] as const)
      : []),
    'internal_error',
    'unavailable',
  ]),
];
