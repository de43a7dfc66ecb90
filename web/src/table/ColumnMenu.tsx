import { ActionIcon } from '@mantine/core';
import { IconCheck, IconColumns3 } from '@tabler/icons-react';
import { Menu, useOpenedAtFirst } from '../ui/Menu.ts';
import { type Choice, type Columns, hiddenAs, idOf, isShownAtFirst } from './columns.ts';

/** The columns of a list. Opens when it is first drawn. */
// biome-ignore lint/suspicious/noExplicitAny: columns of any list
export function ColumnMenu({ choice }: { choice: Choice<any> }) {
  const { columns, isShown, isWide, changed, change } = choice;
  // biome-ignore lint/suspicious/noExplicitAny: columns of any list
  const toggle = (column: Columns<any>[number]): void => {
    const id = idOf(column);
    const shows = !isShown(column);
    const next = new Set(changed);
    next.delete(id);
    next.delete(`-${id}`);
    if (shows !== isShownAtFirst(column, isWide)) next.add(shows ? id : hiddenAs(column));
    change(next);
  };
  const { button, menu } = useOpenedAtFirst();
  return (
    <Menu {...menu} position="bottom-end" shadow="md" closeOnItemClick={false} withinPortal>
      <Menu.Target>
        <ActionIcon ref={button} variant="default" size="input-sm" aria-label="Columns" data-tip="Columns">
          <IconColumns3 size={18} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label="Columns">
        {columns
          .filter((column, index) => index > 0 && !column.meta?.isAction)
          .map((column) => (
            <Menu.CheckboxItem
              key={idOf(column)}
              checked={isShown(column)}
              checkIcon={<IconCheck size={16} aria-hidden />}
              onChange={() => toggle(column)}
            >
              {String(column.header)}
            </Menu.CheckboxItem>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
