import type { z } from 'zod';
import type { WebhookMessage } from '#contract/webhooks.ts';
import type { Needs } from '../platform/platform.ts';

/** What the test button sends: a verification that looks like any other and belongs to nobody. */
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
      // Reserved for fiction; it reaches nobody.
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
