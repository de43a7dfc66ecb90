import type { Webhook } from '@sixdigit/contract/webhooks.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { CreateWebhookForm, EditWebhookForm } from './WebhookForm.tsx';

interface CreateProps {
  opened: boolean;
  onClose: () => void;
  /** receives the generated secret, if any */
  onCreated: (webhook: Webhook, secret: string | undefined) => void;
}

export const CreateWebhook = ({ opened, ...form }: CreateProps) => (
  <Dialog
    opened={opened}
    onClose={form.onClose}
    title="Add Webhook"
    description="We call this URL when the status of a code changes."
    size="lg"
  >
    <CreateWebhookForm {...form} />
  </Dialog>
);

interface EditProps {
  webhook: Webhook | undefined;
  opened: boolean;
  onClose: () => void;
}

export const EditWebhook = ({ webhook, opened, onClose }: EditProps) => (
  <Dialog opened={opened} onClose={onClose} title="Edit Settings" description={webhook?.name} size="lg">
    {webhook ? <EditWebhookForm webhook={webhook} onClose={onClose} /> : null}
  </Dialog>
);
