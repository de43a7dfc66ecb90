import type { Webhook } from '@sixdigit/contract/webhooks.ts';
import { IconListDetails, IconPencil, IconRotate, IconTrash } from '@tabler/icons-react';
import { type RowChoice, RowMenu } from '../ui/RowMenu.tsx';
import type { Choose, RowAction } from './row-action.ts';
import { Statistics } from './Statistics.tsx';

const choices: readonly RowChoice<RowAction>[] = [
  { action: 'attempts', label: 'View Attempts', Icon: IconListDetails },
  { action: 'edit', label: 'Edit Settings', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate Secret', Icon: IconRotate },
  { action: 'delete', label: 'Delete Webhook', Icon: IconTrash },
];

/** The statistics and the menu of a row. */
export const RowActions = ({ webhook, onChoose }: { webhook: Webhook; onChoose: Choose }) => (
  <div className="flex min-w-15 justify-end gap-1">
    <Statistics webhook={webhook} />
    <RowMenu name={webhook.name} choices={choices} onChoose={(action) => onChoose(action, webhook)} />
  </div>
);
