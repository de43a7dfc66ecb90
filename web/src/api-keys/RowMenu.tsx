import { Menu } from '@mantine/core';
import { IconDotsVertical, IconPencil, IconRotate } from '@tabler/icons-react';
import type { ApiKey } from '#contract/api-keys.ts';
import { TipIcon } from '../ui/TipIcon.tsx';

export type Action = 'edit' | 'rotate' | 'delete';
export type Choose = (action: Action, key: ApiKey) => void;

const choices = [
  { action: 'edit', label: 'Edit Settings', Icon: IconPencil },
  { action: 'rotate', label: 'Rotate Key', Icon: IconRotate },
] as const;

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
          leftSection={<Icon size={16} aria-hidden />}
          onClick={() => onChoose(action, apiKey)}
        >
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
