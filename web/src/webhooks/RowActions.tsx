import { Menu } from '@mantine/core';
import { IconDotsVertical, IconListDetails, IconPencil, IconRotate, IconTrash } from '@tabler/icons-react';
import type { Webhook } from '#contract/webhooks.ts';
import { TipIcon } from '../ui/TipIcon.tsx';
import type { Choose, RowAction } from './row-action.ts';
import { Statistics } from './Statistics.tsx';
import classes from './Webhooks.module.css';

interface Props {
  webhook: Webhook;
  onChoose: Choose;
}

/** The statistics and the menu of a row. */
export const RowActions = (props: Props) => (
  <div className={classes.actions}>
    <Statistics webhook={props.webhook} />
    <RowMenu {...props} />
  </div>
);

const choices: readonly { action: RowAction; label: string; Icon: typeof IconTrash }[] = [
  { action: 'attempts', label: 'View Attempts', Icon: IconListDetails },
  { action: 'edit', label: 'Edit Settings', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate Secret', Icon: IconRotate },
  { action: 'delete', label: 'Delete Webhook', Icon: IconTrash },
];

const RowMenu = ({ webhook, onChoose }: Props) => (
  <Menu position="bottom-end" shadow="md" width={210}>
    <Menu.Target>
      <TipIcon label={`Actions for ${webhook.name}`}>
        <IconDotsVertical size={18} stroke={1.75} aria-hidden />
      </TipIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {choices.map(({ action, label, Icon }) => (
        <Menu.Item
          key={action}
          {...(action === 'delete' && { className: classes.danger ?? '' })}
          leftSection={<Icon size={16} aria-hidden />}
          onClick={() => onChoose(action, webhook)}
        >
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
