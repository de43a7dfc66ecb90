import type { Webhook } from '@sixdigit/contract/webhooks.ts';
import { IconChartBar } from '@tabler/icons-react';
import { fullDateTime } from '../ui/dates.ts';
import { Popover } from '../ui/Menu.ts';
import { TipIcon } from '../ui/TipIcon.tsx';
import { SwitchedOffNote } from './SwitchedOff.tsx';
import { TestResult, TestWebhookButton, useTestWebhook } from './TestWebhook.tsx';

/** Delivery statistics of an endpoint and the Test Webhook button. */
export function Statistics({ webhook }: { webhook: Webhook }) {
  const test = useTestWebhook(webhook.id);
  const figures = [
    { label: 'Total sent', value: webhook.total_sent.toLocaleString('en-US') },
    {
      label: 'Consecutive failures',
      value: webhook.consecutive_failures.toLocaleString('en-US'),
      isBad: webhook.consecutive_failures > 0,
    },
    { label: 'Last sent', value: fullDateTime(webhook.last_sent_at, 'Never') },
    { label: 'Last success', value: fullDateTime(webhook.last_success_at, 'Never') },
  ];
  return (
    <Popover
      position="bottom-end"
      width={340}
      shadow="md"
      middlewares={{ shift: { padding: 16 }, flip: true }}
      trapFocus
      returnFocus
      onClose={test.reset}
    >
      <Popover.Target>
        <TipIcon label={`Statistics of ${webhook.name}`}>
          <IconChartBar size={18} stroke={1.75} aria-hidden />
        </TipIcon>
      </Popover.Target>
      <Popover.Dropdown className="grid gap-3.5 p-4" aria-label={`Statistics of ${webhook.name}`}>
        <div>
          <h2 className="m-0 text-15 font-650">Statistics</h2>
          <p className="m-0 text-13 wrap-anywhere text-ink-soft">{webhook.name}</p>
        </div>
        <dl className="m-0 grid gap-[0.35rem] text-14">
          {figures.map(({ label, value, isBad }) => (
            <div key={label} className="flex justify-between gap-2">
              <dt className="whitespace-nowrap text-ink-soft">{label}</dt>
              <dd className={`m-0 text-end tabular-nums ${isBad ? 'font-600 text-orange' : ''}`}>{value}</dd>
            </div>
          ))}
        </dl>
        <SwitchedOffNote webhook={webhook} />
        <div className="grid grid-cols-1">
          <TestWebhookButton test={test} />
          <TestResult result={test.data} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
