import type { FailureReason } from '../errors.ts';
import { neededRole, roleException } from '../needed-roles.ts';
import type { Route } from '../route.ts';
import { reasonsWithoutRole } from './describe.ts';

/** Whether the role of some members does not suffice for some requests. */
const canBeTooLow = (route: Route): boolean => {
  const needed = neededRole(route);
  return needed !== undefined && (needed !== 'viewer' || roleException(route) !== undefined);
};

/** All errors of a call. */
export const reasonsOf = (route: Route): readonly FailureReason[] => [
  ...reasonsWithoutRole(route),
  ...(canBeTooLow(route) ? (['role_too_low'] as const) : []),
];

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
