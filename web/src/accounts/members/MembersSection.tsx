import { Button } from '@mantine/core';
import { lazy, useState } from 'react';
import { OnceOpened } from '../../ui/OnceOpened.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useMay, useRole } from '../role.ts';
import { Invitations } from './Invitations.tsx';
import { KeyRules } from './KeyRules.tsx';
import { Members } from './Members.tsx';

const InviteDialog = lazy(async () => ({ default: (await import('./InviteDialog.tsx')).InviteDialog }));
const RenameAccountDialog = lazy(async () => ({
  default: (await import('./RenameAccountDialog.tsx')).RenameAccountDialog,
}));

/** The settings' panels about the people of the account. */
export function MembersSection() {
  const may = useMay();
  const role = useRole();
  const [opened, setOpened] = useState<'invite' | 'rename'>();
  const close = (): void => setOpened(undefined);
  return (
    <div className="grid grid-cols-1 gap-5">
      <Panel
        title="Members"
        description="People who can open this account."
        actions={
          may('renameAccount') ? (
            <Button variant="default" onClick={() => setOpened('rename')}>
              Rename Account
            </Button>
          ) : undefined
        }
      >
        <Members />
      </Panel>
      {may('listInvitations') ? (
        <Panel
          id="invitations"
          title="Invitations"
          description="Sent by email, and not accepted yet."
          actions={
            may('createInvitation') ? (
              <Button onClick={() => setOpened('invite')}>Invite People</Button>
            ) : undefined
          }
        >
          <Invitations />
        </Panel>
      ) : null}
      {may('updateKeyRules') ? (
        <Panel title="Live API keys" description="Who may create, change and rotate them.">
          <KeyRules />
        </Panel>
      ) : null}
      <OnceOpened opened={opened === 'invite'}>
        {(isShown) => <InviteDialog opened={isShown} onClose={close} own={role} />}
      </OnceOpened>
      <OnceOpened opened={opened === 'rename'}>
        {(isShown) => <RenameAccountDialog opened={isShown} onClose={close} />}
      </OnceOpened>
    </div>
  );
}
