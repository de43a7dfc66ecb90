import { Alert } from '@mantine/core';
import type { Webhook } from '@sixdigit/contract/webhooks.ts';
import { IconPlugConnectedX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Reason = NonNullable<Webhook['disabled_reason']>;

const happened: Record<Reason, string> = {
  gone: 'It responded with 410 Gone, which tells us to stop calling it.',
  failing: 'No delivery to it succeeded for five days.',
};

export const switchedOffBriefly: Record<Reason, string> = {
  gone: 'Disabled: the URL is gone',
  failing: 'Disabled: failed for 5 days',
};

interface Props {
  webhook: Webhook;
  /** the button that tests it */
  action?: ReactNode;
  /** where that button is otherwise, and what else enables the endpoint */
  children?: ReactNode;
}

/** Explains why the service disabled an endpoint and how to enable it. */
export const SwitchedOff = ({ webhook, action, children }: Props) =>
  isSwitchedOff(webhook) ? (
    <Alert
      color="orange"
      variant="light"
      title="We disabled this endpoint"
      icon={<IconPlugConnectedX aria-hidden />}
    >
      {happened[webhook.disabled_reason]} Nothing is sent to it now. Fix the endpoint, then click Test Webhook
      {children ?? ': a test that passes makes it Active again.'}
      {action ? <div className="mt-3">{action}</div> : null}
    </Alert>
  ) : null;

/** The same explanation next to the button that enables it. */
export const SwitchedOffNote = ({ webhook }: { webhook: Webhook }) =>
  isSwitchedOff(webhook) ? (
    <p className="m-0 text-[0.78125rem] text-orange">
      We disabled it: {happened[webhook.disabled_reason].replace(/^It|^No/, (word) => word.toLowerCase())}{' '}
      Once it is fixed, a test that passes makes it Active again.
    </p>
  ) : null;

export const isSwitchedOff = (webhook: Webhook): webhook is Webhook & { disabled_reason: Reason } =>
  !webhook.is_active && webhook.disabled_reason !== null;
