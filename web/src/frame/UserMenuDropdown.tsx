import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconLogout, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import { AccountItems, CreateAccountItem } from '../accounts/AccountItems.tsx';
import { currentUser } from '../accounts/current-user.ts';
import { useSignOut } from '../accounts/sign-out.ts';
import { Menu, useOpenedAtFirst } from '../ui/Menu.ts';

const schemes = [
  { value: 'auto', label: 'System theme' },
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
] as const;

interface Props {
  isCollapsed: boolean;
  /** Renders the button that opens the menu. */
  button: (ref: Ref<HTMLButtonElement>) => ReactNode;
}

/** The user menu. Opens when it is first rendered. */
export function UserMenuDropdown({ isCollapsed, button: drawButton }: Props) {
  const { button, menu } = useOpenedAtFirst();
  const { data: user } = useQuery(currentUser);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    // The sidebar does not scroll, so its menu must not scroll with the page until it is placed again.
    <Menu
      {...menu}
      position="top-start"
      floatingStrategy="fixed"
      width={isCollapsed ? 232 : 'target'}
      shadow="md"
      closeOnItemClick
      withinPortal
      checkIcon={<IconCheck size={16} aria-hidden />}
      classNames={{ itemIndicator: 'me-2.5 w-4' }}
    >
      <Menu.Target>{drawButton(button)}</Menu.Target>
      <Menu.Dropdown>
        {isCollapsed ? <Menu.Label>{user?.email ?? 'Please wait'}</Menu.Label> : null}
        <AccountItems />
        <Menu.Item component={Link} to="/settings" leftSection={<IconSettings size={16} aria-hidden />}>
          Settings
        </Menu.Item>
        <CreateAccountItem />
        <Menu.Divider />
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as MantineColorScheme)}
        >
          {schemes.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          disabled={signOut.isPending}
          closeMenuOnClick={false}
          onClick={() => signOut.mutate()}
        >
          {signOut.isPending ? 'Logging out...' : 'Log Out'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
