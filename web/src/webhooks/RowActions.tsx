import { Button, Loader } from '@mantine/core';
import type { Reply } from '@sixdigit/contract/route.ts';
import { listWebhooks, testWebhook, type Webhook } from '@sixdigit/contract/webhooks.ts';
import {
  IconChartBar,
  IconCircleCheck,
  IconCircleX,
  IconListDetails,
  IconPencil,
  IconRotate,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useMay } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { busyButton } from '../ui/busy-button.ts';
import { shortDateTime } from '../ui/dates.ts';
import { Popover } from '../ui/Menu.ts';
import { type RowChoice, RowMenu } from '../ui/RowMenu.tsx';
import { TipIcon } from '../ui/TipIcon.tsx';
import { toast } from '../ui/toast.ts';
import { SwitchedOffNote } from './SwitchedOff.tsx';
import type { Choose, RowAction } from './webhooks.ts';

const choices: readonly RowChoice<RowAction>[] = [
  { action: 'attempts', label: 'View Deliveries', Icon: IconListDetails },
  { action: 'edit', label: 'Edit Settings', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate Secret', Icon: IconRotate },
  { action: 'delete', label: 'Delete Webhook', Icon: IconTrash },
];

/** The statistics and the menu of a row. */
export function RowActions({ webhook, onChoose }: { webhook: Webhook; onChoose: Choose }) {
  const mayChange = useMay()('updateWebhook');
  return (
    <div className="flex min-w-15 justify-end gap-1">
      <Statistics webhook={webhook} />
      <RowMenu
        name={webhook.name}
        choices={mayChange ? choices : choices.slice(0, 1)}
        onChoose={(action) => onChoose(action, webhook)}
      />
    </div>
  );
}

/** Delivery statistics of an endpoint and the Test Webhook button. */
function Statistics({ webhook }: { webhook: Webhook }) {
  const test = useTestWebhook();
  const may = useMay();
  const figures = [
    ['Total sent', webhook.total_sent.toLocaleString('en-US')],
    ['Consecutive failures', webhook.consecutive_failures.toLocaleString('en-US')],
    ['Last sent', shortDateTime(webhook.last_sent_at, 'Never')],
    ['Last success', shortDateTime(webhook.last_success_at, 'Never')],
  ];
  return (
    <Popover position="bottom-end" width={320} shadow="md" trapFocus returnFocus onClose={test.reset}>
      <Popover.Target>
        <TipIcon label={`Statistics of ${webhook.name}`}>
          <IconChartBar size={18} stroke={1.75} aria-hidden />
        </TipIcon>
      </Popover.Target>
      <Popover.Dropdown className="grid gap-3.5 p-4" aria-label={`Statistics of ${webhook.name}`}>
        <h2 className="m-0 text-15 font-650">Statistics</h2>
        <dl className="m-0 grid gap-[0.35rem] text-14">
          {figures.map(([label, value]) => (
            <div key={label} className="flex justify-between gap-4">
              <dt className="text-ink-soft">{label}</dt>
              <dd className="m-0 text-end tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        <SwitchedOffNote webhook={webhook} />
        {may('testWebhook') ? (
          <Button
            variant="default"
            fullWidth
            leftSection={test.isPending ? <Loader size={16} /> : <IconSend size={16} aria-hidden />}
            {...busyButton(test.isPending)}
            onClick={() => {
              if (!test.isPending) test.mutate(webhook);
            }}
          >
            Test Webhook
          </Button>
        ) : null}
        <TestResult result={test.data} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Sends a `webhook.test` message and waits for the endpoint's response. */
const useTestWebhook = () =>
  useAction({
    run: (webhook: Webhook) => call(testWebhook, { params: { id: webhook.id } }),
    failure: 'Failed to send test webhook',
    refresh: [listWebhooks],
    done: ({ success }) =>
      success ? toast.success('Test webhook sent successfully') : toast.error('Test webhook failed'),
  });

/** The endpoint's response to a test, announced by screen readers. */
function TestResult({ result }: { result: Reply<typeof testWebhook> | undefined }) {
  const Icon = result?.success ? IconCircleCheck : IconCircleX;
  return (
    <div role="status">
      {result ? (
        <p className={`m-0 flex gap-2 text-14 wrap-anywhere ${result.success ? 'text-green' : 'text-red'}`}>
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
