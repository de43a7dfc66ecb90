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
