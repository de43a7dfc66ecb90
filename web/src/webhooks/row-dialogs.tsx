import {
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  type Webhook,
} from '@sixdigit/contract/webhooks.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { ConfirmDialog } from '../ui/Dialog.tsx';

/** Dialogs for one endpoint of the list. */
interface Props {
  webhook: Webhook | undefined;
  opened: boolean;
  onClose: () => void;
}

export function RotateSecret({
  webhook,
  opened,
  onClose,
  onRotated,
}: Props & { onRotated: (secret: string) => void }) {
  const rotate = useAction({
    run: ({ id }: Webhook) => call(rotateWebhookSecret, { params: { id } }),
    failure: 'Failed to rotate the secret',
    done: ({ secret }) => onRotated(secret),
  });
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title="Rotate Secret"
      confirm="Rotate Secret"
      onConfirm={() => webhook && rotate.mutate(webhook)}
      isBusy={rotate.isPending}
    >
      <p className="m-0 wrap-anywhere">
        "{webhook?.name}" gets a new signing secret, shown once. The old one stays valid for 24 hours, so no
        message is refused while you replace it.
      </p>
    </ConfirmDialog>
  );
}

export function DeleteWebhook({ webhook, opened, onClose }: Props) {
  const remove = useAction({
    run: ({ id }: Webhook) => call(deleteWebhook, { params: { id } }),
    success: 'Webhook endpoint deleted successfully',
    failure: 'Failed to delete webhook endpoint',
    refresh: [listWebhooks],
    done: onClose,
  });
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title="Delete Webhook"
      confirm="Delete Webhook"
      onConfirm={() => webhook && remove.mutate(webhook)}
      isBusy={remove.isPending}
      isDangerous
    >
      <p className="m-0 wrap-anywhere">
        Are you sure you want to delete the webhook endpoint "{webhook?.name}"? Messages still waiting for it
        are dropped, and its deliveries are no longer shown. This action cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
