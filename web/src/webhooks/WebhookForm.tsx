import { Anchor, TextInput } from '@mantine/core';
import {
  createWebhook,
  EVENTS,
  listWebhooks,
  updateWebhook,
  type Webhook,
  WebhookBody,
  type WebhookEvent,
} from '@sixdigit/contract/webhooks.ts';
import { call } from '../api/call.ts';
import type { BodyForm } from '../form/Form.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import { Checkbox } from '../ui/Checkbox.ts';
import { PasswordInput } from '../ui/PasswordInput.ts';
import { Switch } from '../ui/Switch.ts';
import { SwitchedOff } from './SwitchedOff.tsx';
import classes from './Webhooks.module.css';
import { switchOf } from './webhooks.ts';

const meaning: Record<WebhookEvent, string> = {
  sent: 'A carrier accepted the message',
  delivered: 'The carrier reported the delivery',
  failed: 'Not delivered, or too many wrong codes',
  verified: 'The correct code was entered',
  expired: 'The code expired or was canceled',
  step: 'The next channel of a plan has started',
};

const fresh = {
  name: '',
  url: '',
  secret: '',
  is_active: true,
  send_on_sent: true,
  send_on_delivered: true,
  send_on_failed: true,
  send_on_verified: true,
  send_on_expired: true,
  send_on_step: false,
};
type Values = typeof fresh;

interface CreateProps {
  opened: boolean;
  onClose: () => void;
  /** receives the generated secret, if any; it cannot be read again */
  onCreated: (webhook: Webhook, generatedSecret: string | undefined) => void;
}

export const CreateWebhook = ({ onCreated, ...dialog }: CreateProps) => (
  <FormDialog
    {...dialog}
    title="Add Webhook"
    description="We call this URL when the status of a code changes."
    size="lg"
    confirm="Add Webhook"
    busy="Adding..."
    success="Webhook endpoint created successfully"
    refresh={[listWebhooks]}
    form={{
      schema: WebhookBody,
      initialValues: fresh,
      submit: (body) => call(createWebhook, { body }),
      failure: 'Failed to create webhook endpoint',
      onSuccess: ({ secret, ...webhook }, values) =>
        onCreated(webhook, values.secret.trim() === '' ? secret : undefined),
    }}
  >
    {(form) => (
      <Fields
        form={form}
        secretLabel="Secret (optional)"
        secretHint="Leave empty to generate one, which is shown once."
      />
    )}
  </FormDialog>
);

interface EditProps {
  webhook: Webhook | undefined;
  opened: boolean;
  onClose: () => void;
  /** replaces the dialog by the endpoint's deliveries */
  onDeliveries: (webhook: Webhook) => void;
}

export const EditWebhook = ({ webhook, onDeliveries, ...dialog }: EditProps) => (
  <FormDialog
    {...dialog}
    title="Edit Webhook"
    description={webhook?.name}
    size="lg"
    confirm="Save Changes"
    busy="Saving..."
    success="Webhook endpoint updated successfully"
    refresh={[listWebhooks]}
    formKey={webhook?.id}
    form={
      webhook && {
        schema: WebhookBody,
        initialValues: { ...fresh, ...valuesOf(webhook) },
        submit: (body) => call(updateWebhook, { params: { id: webhook.id }, body }),
        failure: 'Failed to update webhook endpoint',
      }
    }
  >
    {(form) => (
      <>
        {webhook ? (
          <SwitchedOff webhook={webhook}>
            {' in its '}
            <Anchor component="button" type="button" inherit onClick={() => onDeliveries(webhook)}>
              deliveries
            </Anchor>
            : a test that passes makes it Active again. So does the switch below, without a test.
          </SwitchedOff>
        ) : null}
        <Fields
          form={form}
          secretLabel="New secret (optional)"
          secretHint="Leave empty to keep the current one. A new one replaces it immediately."
        />
      </>
    )}
  </FormDialog>
);

const valuesOf = (webhook: Webhook): Omit<Values, 'secret'> => ({
  name: webhook.name,
  url: webhook.url,
  is_active: webhook.is_active,
  send_on_sent: webhook.send_on_sent,
  send_on_delivered: webhook.send_on_delivered,
  send_on_failed: webhook.send_on_failed,
  send_on_verified: webhook.send_on_verified,
  send_on_expired: webhook.send_on_expired,
  send_on_step: webhook.send_on_step,
});

interface FieldsProps {
  form: BodyForm<Values>;
  secretLabel: string;
  secretHint: string;
}

function Fields({ form, secretLabel, secretHint }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        placeholder="Production"
        autoComplete="off"
        data-autofocus
        {...form.field('name')}
      />
      <TextInput
        label="URL"
        type="url"
        placeholder="https://example.com/webhooks/otp"
        autoComplete="off"
        {...form.field('url')}
      />
      <PasswordInput
        label={secretLabel}
        description={`Signs every message, so that you can check its origin. ${secretHint}`}
        autoComplete="new-password"
        {...form.field('secret')}
      />
      <Switch
        label="Active"
        description="Inactive endpoints receive tests only."
        {...form.field('is_active')}
      />
      <fieldset className={`${classes.events} m-0 grid rounded-10 border border-line px-4 pt-3 pb-4`}>
        <legend className="text-14 font-550">Events</legend>
        {EVENTS.map((event) => (
          <Checkbox
            key={event}
            label={event.charAt(0).toUpperCase() + event.slice(1)}
            description={meaning[event]}
            {...form.field(switchOf(event))}
          />
        ))}
      </fieldset>
    </>
  );
}
