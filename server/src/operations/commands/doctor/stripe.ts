import Stripe from 'stripe';
import { stripeClient } from '../../../payments/payments.ts';
import {
  type DoctorContext,
  type Finding,
  ok,
  problem,
  unreachedBecause,
  warning,
} from '../../../platform/finding.ts';

const NAME = 'stripe';

/** Checks the format of the keys and makes one read-only call, which reconciliation also uses. */
export async function checkStripe({ config }: DoctorContext): Promise<Finding[]> {
  const { stripe } = config;
  if (!stripe)
    return config.sandbox
      ? [ok(NAME, 'No Stripe keys: cards are test cards.')]
      : [ok(NAME, 'Payments are not set up: no credits can be bought.')];
  const found: Finding[] = [];
  const secretMode = /^[sr]k_(test|live)_/.exec(stripe.secretKey)?.[1];
  const publicMode = /^pk_(test|live)_/.exec(stripe.publishableKey)?.[1];
  if (!secretMode)
    found.push(
      problem(
        NAME,
        'STRIPE_SECRET_KEY does not have the format of a secret key.',
        'It begins with sk_live_ or rk_live_.',
      ),
    );
  if (!publicMode)
    found.push(
      problem(
        NAME,
        'STRIPE_PUBLISHABLE_KEY does not have the format of a publishable key.',
        'It begins with pk_live_.',
      ),
    );
  if (secretMode && publicMode && secretMode !== publicMode)
    found.push(
      problem(
        NAME,
        `The secret key is a ${secretMode} key and the publishable key a ${publicMode} key.`,
        'Take both from the same mode of the same account.',
      ),
    );
  if (!stripe.webhookSecret.startsWith('whsec_'))
    found.push(
      problem(
        NAME,
        'STRIPE_WEBHOOK_SECRET does not have the format of a signing secret.',
        'Take the signing secret (whsec_…) of the endpoint /api/v1/payments/stripe-webhook/ at Stripe.',
      ),
    );
  if (config.production && secretMode === 'test')
    found.push(warning(NAME, 'These are test keys: credits cost nothing.', 'Use live keys in production.'));
  return [...found, await keyFinding(stripe)];
}

async function keyFinding(settings: NonNullable<DoctorContext['config']['stripe']>): Promise<Finding> {
  try {
    await stripeClient(settings).paymentIntents.list({ limit: 1 });
    return ok(NAME, 'Stripe accepts the secret key.');
  } catch (error) {
    if (error instanceof Stripe.errors.StripeAuthenticationError)
      return problem(
        NAME,
        'Stripe refuses the secret key.',
        'Set STRIPE_SECRET_KEY to a key that has not been revoked.',
      );
    if (error instanceof Stripe.errors.StripePermissionError)
      return problem(
        NAME,
        'The secret key may not read payments.',
        'Give the restricted key the permissions that docs/payments.md names.',
      );
    if (error instanceof Stripe.errors.StripeConnectionError)
      return problem(
        NAME,
        `Stripe cannot be reached: ${unreachedBecause(error.detail ?? error)}.`,
        'Check that this machine can connect to api.stripe.com by https.',
      );
    if (error instanceof Stripe.errors.StripeInvalidRequestError)
      return problem(
        NAME,
        `Stripe refuses a request of this service: ${error.message} (HTTP ${error.statusCode}).`,
        'Set up the account as docs/payments.md describes, or report the message.',
      );
    const status = error instanceof Stripe.errors.StripeError ? ` (HTTP ${error.statusCode})` : '';
    return problem(
      NAME,
      `Stripe sent an unexpected response${status}.`,
      'Check the status page of Stripe, and run the doctor again.',
    );
  }
}
