import {
  Avatar,
  type MantineColorScheme,
  Menu,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { IconLogout, IconSelector, IconServerCog, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { fullName, initials } from '../accounts/initials.ts';
import { useSignOut } from '../accounts/sign-out.ts';
import classes from './UserMenu.module.css';

const schemes = [
  { value: 'auto', label: 'System theme' },
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
] as const;

/** The user's name, theme, settings and sign-out. */
export function UserMenu({ isCollapsed }: { isCollapsed: boolean }) {
  const { data: user } = useQuery(currentUser);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const name = user ? fullName(user) : 'Loading...';
  const detail = user ? user.email : 'Please wait';

  return (
    <Menu position="top-start" width={232} shadow="md" closeOnItemClick withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.target} data-collapsed={isCollapsed || undefined}>
          <Avatar size={32} radius="xl" color="petrol" variant="light">
            {user ? initials(user) : ''}
          </Avatar>
          {isCollapsed ? (
            <VisuallyHidden>{name}</VisuallyHidden>
          ) : (
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
        <Menu.Item component={Link} to="/settings" leftSection={<IconSettings size={16} aria-hidden />}>
          Settings
        </Menu.Item>
        {user?.operator_role ? (
          <Menu.Item component={Link} to="/operator" leftSection={<IconServerCog size={16} aria-hidden />}>
            Operator console
          </Menu.Item>
        ) : null}
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
          {signOut.isPending ? 'Logging out...' : 'Log out'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
