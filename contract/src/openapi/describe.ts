/** The parts of a route for documentation: its shapes as JSON Schema, and all its errors. */

import { z } from 'zod';
import type { FailureReason } from '../errors.ts';
import { needsSession, type Route } from '../route.ts';

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
  person: ['unauthenticated', 'too_many_requests'],
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

/** In production, an operator's session needs a recent proof of identity for changes. */
const needsStepUp = ({ stepUp, auth, method }: Route): boolean =>
  stepUp !== undefined || (auth === 'operator' && method !== 'GET');

/** Without `role_too_low`, which calls with an API key never get. */
export const reasonsOf = (route: Route): readonly FailureReason[] => [
  ...new Set<FailureReason>([
    ...everywhere[route.auth],
    ...(route.scope ? (['missing_scope'] as const) : []),
    ...(needsStepUp(route) ? (['step_up_required'] as const) : []),
    ...(route.ownProof ? (['sso_session'] as const) : []),
    ...(route.failures ?? []),
    ...(route.query && (needsSession(route) || route.auth === 'operator') ? (['list_timeout'] as const) : []),
    'internal_error',
    'unavailable',
  ]),
];
