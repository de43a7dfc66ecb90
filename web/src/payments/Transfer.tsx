import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { ownAccounts } from '../accounts/own-accounts.ts';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { useOpened } from '../ui/opened.ts';

const TransferDialog = lazyDialog(async () => (await import('./TransferDialog.tsx')).TransferDialog);

/** For an owner of several accounts. */
export function Transfer() {
  const { data: user } = useQuery(currentUser);
  const isOwner = user?.role === 'owner';
  const { data: accounts } = useQuery({ ...ownAccounts, enabled: isOwner });
  const dialog = useOpened('step');
  const others = (accounts?.results ?? []).filter(
    ({ id, role }) => role === 'owner' && id !== user?.account_id,
  );
  // The menu loads the accounts for other roles too.
  if (!isOwner || others.length === 0) return null;
  return (
    <>
      <Button variant="default" onClick={() => dialog.open('transfer')}>
        Move Credits
      </Button>
      <TransferDialog
        opened={dialog.opened === 'transfer'}
        onClose={dialog.close}
        to={others}
        balance={user.credits}
      />
    </>
  );
}
