import type { Needs } from '../platform/platform.ts';
import type { CardProvider } from './card-provider.ts';
import { createSandboxCards } from './sandbox.ts';
import { createStripeCards } from './stripe.ts';

/** Stripe if keys are set, test cards in a sandbox, otherwise undefined. */
export function createCards(app: Needs<'config' | 'db' | 'random' | 'clock'>): CardProvider | undefined {
  if (app.config.stripe) return createStripeCards(app.config.stripe);
  return app.config.sandbox ? createSandboxCards(app) : undefined;
}
