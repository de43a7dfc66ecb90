import type { FailureReason } from '../errors.ts';
import { neededRole, roleException } from '../needed-roles.ts';
import type { Route } from '../route.ts';

// The dashboard loads `describe.ts` for calls with an API key, which need no role. So roles are not described there.

/** The error for a role that is too low, of calls that some members may not make. */
export function roleRefusals(route: Route): readonly FailureReason[] {
  const needed = neededRole(route);
  const isForAll = needed === undefined || (needed === 'viewer' && roleException(route) === undefined);
  return isForAll ? [] : ['role_too_low'];
}

/** The description, or the summary as a sentence, followed by what the caller needs. */
export const descriptionOf = (route: Route): string =>
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
