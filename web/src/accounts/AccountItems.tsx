import type { OwnAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { IconCheck, IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { knownAccounts } from '../api/account.ts';
import { Menu } from '../ui/Menu.ts';
import { askForAccount } from './account-dialogs.ts';
import { currentUser } from './current-user.ts';
import { nameOf, openAccount, ownAccounts } from './own-accounts.ts';
import { roleNames } from './role-texts.ts';

/** The others are found in the palette. */
const MOST = 7;

/** The person's accounts in the user menu: a choice opens another one. */
export function AccountItems() {
  const { data: user } = useQuery(currentUser);
  const { data } = useQuery({ ...ownAccounts, enabled: user?.role !== undefined });
  const pathname = useLocation({ select: (location) => location.pathname });
  const accounts = data?.results ?? [];
  if (user?.role === undefined) return null;
  const [own] = accounts;
  return (
    <>
      {own && accounts.length === 1 ? (
        <Menu.Label>
          <bdi className="block truncate">{nameOf(own)}</bdi>
          {roleNames[own.role]}
        </Menu.Label>
      ) : null}
      {accounts.length > 1 ? (
        <>
          <Menu.Label>Accounts</Menu.Label>
          {firstOf(accounts, user.account_id).map((account) => {
            const isShown = account.id === user.account_id;
            return (
              <Menu.Item
                key={account.id}
                aria-current={isShown || undefined}
                rightSection={isShown ? <IconCheck size={16} aria-hidden /> : undefined}
                onClick={() => {
                  if (!isShown) openAccount(account.slug, placeIn(pathname));
                }}
              >
                <span className="grid min-w-0 leading-[1.3]">
                  <span className="truncate">{nameOf(account)}</span>
                  <span className="text-12 text-ink-soft">{roleNames[account.role]}</span>
                </span>
              </Menu.Item>
            );
          })}
          {accounts.length > MOST ? (
            <Menu.Item
              leftSection={<IconSearch size={16} aria-hidden />}
              onClick={() => askForAccount('find')}
            >
              Find an Account…
            </Menu.Item>
          ) : null}
          <Menu.Divider />
        </>
      ) : null}
    </>
  );
}

/** A session by SSO opens only its own account. */
export function CreateAccountItem() {
  const { data: user } = useQuery(currentUser);
  return user?.role === undefined || user.is_sso_session ? null : (
    <Menu.Item leftSection={<IconPlus size={16} aria-hidden />} onClick={() => askForAccount('create')}>
      Create Another Account…
    </Menu.Item>
  );
}

/** The page to open in another account: the same one, without what only this account has. */
const placeIn = (pathname: string): string =>
  `/${pathname.split('/')[1] ?? ''}`.replace(/^\/(receipt|operator)$/, '/');

/** The current account, then those used last. */
function firstOf(accounts: readonly OwnAccount[], current: string | undefined): readonly OwnAccount[] {
  if (accounts.length <= MOST) return accounts;
  const order = knownAccounts().map(({ id }) => id);
  const rank = ({ id }: OwnAccount): number =>
    id === current ? -1 : order.includes(id) ? order.indexOf(id) : order.length;
  return accounts.toSorted((one, other) => rank(one) - rank(other)).slice(0, MOST);
}
