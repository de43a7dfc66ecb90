import { IconDotsVertical, type IconTrash } from '@tabler/icons-react';
import { Menu } from './Menu.ts';
import { TipIcon } from './TipIcon.tsx';

export interface RowChoice<A extends string> {
  action: A;
  label: string;
  Icon: typeof IconTrash;
}

interface Props<A extends string> {
  /** of the row, for the button's label */
  name: string;
  choices: readonly RowChoice<A>[];
  onChoose: (action: A) => void;
}

/** The actions of a row. 'delete' stands out. */
export const RowMenu = <A extends string>({ name, choices, onChoose }: Props<A>) => (
  <Menu position="bottom-end" shadow="md" width={210}>
    <Menu.Target>
      <TipIcon label={`Actions for ${name}`}>
        <IconDotsVertical size={18} stroke={1.75} aria-hidden />
      </TipIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {choices.map(({ action, label, Icon }) => (
        <Menu.Item
          key={action}
          {...(action === 'delete' && { className: 'text-red' })}
          leftSection={<Icon size={16} aria-hidden />}
          onClick={() => onChoose(action)}
        >
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
