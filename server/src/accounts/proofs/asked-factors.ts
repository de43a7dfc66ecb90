import type { SecondFactor } from '@sixdigit/contract/second-factors/second-factors.ts';
import { type App, type CodeRoute, codeRoute } from '../account.ts';
import type { Person } from '../queries.ts';
import { isAsked, ownedFactors } from '../second-factors/second-factors.ts';

/** The second factors that a sign-in or a step-up can ask for. */
export interface AskedFactors {
  /** the strongest first; empty if the password is enough */
  methods: readonly SecondFactor[];
  /** where a code can be sent, if the person has chosen codes by e-mail or SMS, or has a suspected passkey */
  route: CodeRoute | undefined;
}

export async function secondFactorsAsked(app: App, person: Person): Promise<AskedFactors> {
  const owned = await ownedFactors(app.db, person.id);
  // A passkey that may have been copied, or whose counter is broken, must not lock its owner out.
  const hasRoute = person.two_factor_enabled || owned.is_passkey_suspected;
  const route = hasRoute ? await codeRoute(app, person) : undefined;
  const methods: SecondFactor[] = [
    ...(owned.has_passkey ? (['passkey'] as const) : []),
    ...(owned.has_authenticator ? (['authenticator'] as const) : []),
    ...(route ? [route.channel] : []),
    ...(isAsked(owned) && owned.has_recovery_codes ? (['recovery_code'] as const) : []),
  ];
  return { methods, route };
}
