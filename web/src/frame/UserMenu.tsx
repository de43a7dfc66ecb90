import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, lazy, Suspense, useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { tabAccount } from '../api/account.ts';

const load = async () => ({ default: (await import('./UserMenuDropdown.tsx')).UserMenuDropdown });
/** Loaded on the first press, prefetched on hover and focus. */
const Dropdown = lazy(load);
const prepare = (): void => void load().catch(() => undefined);

/** The user's name. Opens a menu with theme, settings and sign-out. */
export function UserMenu({ isCollapsed }: { isCollapsed: boolean }) {
  const [wasOpened, setWasOpened] = useState(false);
  if (!wasOpened) {
    return (
      <UserButton
        isCollapsed={isCollapsed}
        aria-haspopup="menu"
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={() => setWasOpened(true)}
      />
    );
  }
  return (
    <Suspense fallback={<UserButton isCollapsed={isCollapsed} />}>
      <Dropdown
        isCollapsed={isCollapsed}
        button={(ref) => <UserButton ref={ref} isCollapsed={isCollapsed} />}
      />
    </Suspense>
  );
}

type ButtonProps = ComponentProps<'button'> & { isCollapsed: boolean };

function UserButton({ isCollapsed, ...button }: ButtonProps) {
  const { data: user } = useQuery(currentUser);
  const name = user ? fullName(user) : 'Loading...';
  // From the second account on, everybody must see which one this is.
  const account = tabAccount();
  const detail = user ? account?.name || user.email : 'Please wait';
  return (
    <UnstyledButton
      {...button}
      className={`mt-2 flex items-center gap-2.5 rounded-10 hover:bg-line data-expanded:bg-line ${isCollapsed ? 'justify-center p-0.5' : 'p-2'}`}
    >
      <span className="grid size-8 flex-none place-items-center rounded-full bg-(--mantine-color-petrol-light) text-[0.8rem] font-700 text-(color:--mantine-color-petrol-light-color) select-none">
        {user ? initials(user) : ''}
      </span>
      {isCollapsed ? (
        <VisuallyHidden>{name}</VisuallyHidden>
      ) : (
        <>
          <span className="grid min-w-0 flex-1 leading-[1.3]">
            <span className="truncate text-14 font-600">{name}</span>
            <span className="truncate text-[0.78125rem] text-ink-soft">{detail}</span>
          </span>
          <IconSelector size={16} aria-hidden className="flex-none text-ink-soft" />
        </>
      )}
    </UnstyledButton>
  );
}

interface Named {
  first_name: string;
  last_name: string;
  email: string;
}

/** The initials of the first and last name, or the first letter of the email address if there is no last name. */
export function initials({ first_name, last_name, email }: Named): string {
  const first = [...first_name.trim()][0] ?? '';
  const last = [...last_name.trim()][0] ?? '';
  return (last === '' ? ([...email][0] ?? '') : first + last).toUpperCase();
}

/** The name in the user menu. */
export const fullName = (person: Named & { username: string }): string =>
  `${person.first_name} ${person.last_name}`.trim() || person.username;
