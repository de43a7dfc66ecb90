import { Menu } from '@mantine/core';
import { IconDotsVertical, IconPencil, IconRotate, IconTrash } from '@tabler/icons-react';
import type { ApiKey } from '#contract/api-keys.ts';
import { TipIcon } from '../ui/TipIcon.tsx';
import classes from './ApiKeys.module.css';
import type { Action, Choose } from './row-action.ts';

const choices: readonly { action: Action; label: string; Icon: typeof IconTrash }[] = [
  { action: 'edit', label: 'Edit API Key', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate API Key', Icon: IconRotate },
  { action: 'delete', label: 'Delete API Key', Icon: IconTrash },
];

/** The actions of a row of two lines, which has no room for three buttons. */
export const RowMenu = ({ apiKey, onChoose }: { apiKey: ApiKey; onChoose: Choose }) => (
  <Menu position="bottom-end" shadow="md" width={190}>
    <Menu.Target>
      <TipIcon label={`Actions for ${apiKey.name}`}>
        <IconDotsVertical size={18} stroke={1.75} aria-hidden />
      </TipIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {choices.map(({ action, label, Icon }) => (
        <Menu.Item
          key={action}
          {...(action === 'delete' && { className: classes.danger ?? '' })}
          leftSection={<Icon size={16} aria-hidden />}
          onClick={() => onChoose(action, apiKey)}
        >
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
