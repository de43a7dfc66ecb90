import { ActionIcon } from '@mantine/core';
import { IconCheck, IconColumns3 } from '@tabler/icons-react';
import { Menu, useOpenedAtFirst } from '../ui/Menu.ts';
import type { Choice } from './columns.ts';

/** The columns of a list. Opens when it is first drawn. */
export function ColumnMenu({ choice: { choosable, toggle } }: { choice: Choice }) {
  const { button, menu } = useOpenedAtFirst();
  return (
    <Menu {...menu} position="bottom-end" shadow="md" closeOnItemClick={false} withinPortal>
      <Menu.Target>
        <ActionIcon ref={button} variant="default" size="input-sm" aria-label="Columns" data-tip="Columns">
          <IconColumns3 size={18} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label="Columns">
        {choosable.map(({ id, header, isShown }) => (
          <Menu.CheckboxItem
            key={id}
            checked={isShown}
            checkIcon={<IconCheck size={16} aria-hidden />}
            onChange={() => toggle(id)}
          >
            {header}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
