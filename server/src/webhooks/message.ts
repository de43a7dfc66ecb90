import type { WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import type { z } from 'zod';
import type { Needs } from '../platform/platform.ts';

/** The test button's message: a realistic verification that belongs to no account. */
export function testMessage(app: Needs<'random' | 'clock'>): z.infer<typeof WebhookMessage> {
  const now = app.clock.now();
  const at = now.toISOString();
  return {
    type: 'webhook.test',
    timestamp: at,
    data: {
      otp_id: app.random.uuid(),
      status: 'sent',
      previous_status: 'pending',
      channel: 'sms',
      // Reserved for fiction; it is never assigned.
      recipient: '+12025550123',
      api_key: { id: app.random.uuid(), name: 'Test' },
      created_at: at,
      expires_at: new Date(now.getTime() + 300_000).toISOString(),
      sent_at: at,
      delivered_at: null,
      verified_at: null,
      cost_credits: 1,
      failure: null,
    },
  };
}

/** The secrets that sign an endpoint's messages, sealed in its row. A retired secret also signs until it expires. */
interface SealedSecrets {
  endpoint_id: string;
  secret: Buffer;
  /** A sealed list of `Retired`; null if no retired secret is valid. */
  previous_secret: Buffer | null;
}

interface Retired {
  secret: string;
  until: string;
}

const RETIRED_AT_MOST = 5;

/** As Standard Webhooks recommends: 32 random bytes, base64 after `whsec_`. */
export const generateSecret = (app: Needs<'random'>): string =>
  `whsec_${app.random.bytes(32).toString('base64')}`;

const contextOf = (endpoint_id: string): string => `webhook endpoint ${endpoint_id}`;

export const sealSecret = (app: Needs<'vault'>, endpoint_id: string, secret: string): Buffer =>
  app.vault.seal(secret, contextOf(endpoint_id));

/** The current secret first, then the retired secrets that are still valid. */
export function openSecrets(app: Needs<'vault' | 'clock'>, sealed: SealedSecrets): string[] {
  const current = app.vault.open(sealed.secret, contextOf(sealed.endpoint_id));
  return [current, ...retiredOf(app, sealed).map(({ secret }) => secret)];
}

/** Seals the list of retired secrets after the current one is replaced; the current one stays valid until `until`. */
export function retireSecret(app: Needs<'vault' | 'clock'>, sealed: SealedSecrets, until: string): Buffer {
  const current = app.vault.open(sealed.secret, contextOf(sealed.endpoint_id));
  const retired = [{ secret: current, until }, ...retiredOf(app, sealed)].slice(0, RETIRED_AT_MOST);
  return app.vault.seal(JSON.stringify(retired), contextOf(sealed.endpoint_id));
}

function retiredOf(app: Needs<'vault' | 'clock'>, sealed: SealedSecrets): Retired[] {
  if (!sealed.previous_secret) return [];
  const now = app.clock.now().toISOString();
  const all = JSON.parse(app.vault.open(sealed.previous_secret, contextOf(sealed.endpoint_id))) as Retired[];
  return all.filter(({ until }) => until > now);
}
