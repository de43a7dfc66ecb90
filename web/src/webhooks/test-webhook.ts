import { testWebhook, type Webhook } from '@sixdigit/contract/webhooks.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { toast } from '../ui/toast.ts';
import { WEBHOOKS } from './webhooks.ts';

/** Sends a `webhook.test` message and waits for the endpoint's response. */
export const useTestWebhook = () =>
  useAction({
    run: (webhook: Webhook) => call(testWebhook, { params: { id: webhook.id } }),
    failure: 'Failed to send test webhook',
    refresh: [WEBHOOKS],
    done: ({ success }) =>
      success ? toast.success('Test webhook sent successfully') : toast.error('Test webhook failed'),
  });
