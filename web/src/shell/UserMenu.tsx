import { Avatar, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconDeviceLaptop,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSettings,
  IconSun,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { fullName, initials } from '../accounts/initials.ts';
import { useSignOut } from '../accounts/sign-out.ts';
import classes from './UserMenu.module.css';

const schemes = [
  { value: 'auto', label: 'System theme', Icon: IconDeviceLaptop },
  { value: 'light', label: 'Light theme', Icon: IconSun },
  { value: 'dark', label: 'Dark theme', Icon: IconMoon },
] as const;

/** Who is signed in; theme, settings and the way out. */
export function UserMenu({ isCollapsed }: { isCollapsed: boolean }) {
  const { data: user } = useQuery(currentUser);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const name = user ? fullName(user) : 'Loading...';
  const detail = user ? user.email : 'Please wait';

  return (
    <Menu position="top-start" width={232} shadow="md" closeOnItemClick withinPortal>
      <Menu.Target>
        <UnstyledButton
          className={classes.target}
          data-collapsed={isCollapsed || undefined}
          aria-label={`User menu, ${name}`}
        >
          <Avatar size={32} radius="xl" color="petrol" variant="light" aria-hidden>
            {user ? initials(user) : ''}
          </Avatar>
          {isCollapsed ? null : (
            <>
              <span className={classes.who}>
                <span className={classes.name}>{name}</span>
                <span className={classes.detail}>{detail}</span>
              </span>
              <IconSelector size={16} aria-hidden className={classes.chevron} />
            </>
          )}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {isCollapsed ? <Menu.Label>{detail}</Menu.Label> : null}
        <Menu.Item
          component={Link}
          to={'/settings' as never}
          leftSection={<IconSettings size={16} aria-hidden />}
        >
          Settings
        </Menu.Item>
        <Menu.Divider />
        {schemes.map(({ value, label, Icon }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            data-chosen={colorScheme === value || undefined}
            className={classes.scheme}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          disabled={signOut.isPending}
          closeMenuOnClick={false}
          onClick={() => signOut.mutate()}
        >
          {signOut.isPending ? 'Logging out...' : 'Log out'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
