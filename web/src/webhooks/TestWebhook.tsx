import { Button, Loader } from '@mantine/core';
import type { Reply } from '@sixdigit/contract/route.ts';
import { listWebhookMessages, listWebhooks, testWebhook } from '@sixdigit/contract/webhooks.ts';
import { IconCircleCheck, IconCircleX, IconSend } from '@tabler/icons-react';
import { useMay } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { toast } from '../api/toast.ts';
import { busyButton } from '../ui/busy-button.ts';

/** Sends a `webhook.test` message to an endpoint and waits for its response. */
export const useTestWebhook = (id: string) =>
  useAction({
    run: () => call(testWebhook, { params: { id } }),
    failure: 'Failed to send test webhook',
    refresh: [listWebhooks, listWebhookMessages],
    done: ({ success }) =>
      success ? toast.success('Test webhook sent successfully') : toast.error('Test webhook failed'),
  });

/** Absent for members who may not test endpoints. */
export const TestWebhookButton = ({ test }: { test: ReturnType<typeof useTestWebhook> }) =>
  useMay()('testWebhook') ? (
    <Button
      variant="default"
      leftSection={test.isPending ? <Loader size={16} /> : <IconSend size={16} aria-hidden />}
      {...busyButton(test.isPending)}
      onClick={() => {
        if (!test.isPending) test.mutate();
      }}
    >
      Test Webhook
    </Button>
  ) : null;

/** The endpoint's response to a test, announced by screen readers. */
export function TestResult({ result }: { result: Reply<typeof testWebhook> | undefined }) {
  const Icon = result?.success ? IconCircleCheck : IconCircleX;
  return (
    <div role="status">
      {result ? (
        <p
          className={`mt-3.5 mb-0 flex gap-2 text-14 wrap-anywhere ${result.success ? 'text-green' : 'text-red'}`}
        >
          <Icon className="mt-[0.1rem] flex-none" size={18} aria-hidden />
          <span>
            {result.success
              ? `Answered ${result.response_status} in ${result.duration_ms} ms.`
              : `${result.error ?? 'No response.'} (${result.duration_ms} ms)`}
          </span>
        </p>
      ) : null}
    </div>
  );
}
