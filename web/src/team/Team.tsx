import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { useMay, useRole } from '../accounts/role.ts';
import { keyRules } from '../api-keys/live-keys.ts';
import { UnsavedChanges } from '../form/UnsavedChanges.tsx';
import { pages } from '../pages.ts';
import { lazyPart } from '../ui/lazy-part.ts';
import { Near } from '../ui/Near.tsx';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { Invitations } from './Invitations.tsx';
import { KeyRules } from './KeyRules.tsx';
import { Members } from './Members.tsx';
import { invitations, members, useShownAccount, whileOpen } from './members.ts';
import { Notices } from './Notices.tsx';

const SsoPanel = lazyPart(async () => (await import('./SsoPanel.tsx')).SsoPanel);
const InviteDialog = lazy(async () => ({ default: (await import('./InviteDialog.tsx')).InviteDialog }));
const RenameAccountDialog = lazy(async () => ({
  default: (await import('./RenameAccountDialog.tsx')).RenameAccountDialog,
}));

/** The people of the account: members, invitations and single sign-on. */
export function Team() {
  const may = useMay();
  const role = useRole();
  const { data: user } = useQuery(currentUser);
  const people = useQuery({ ...members, ...whileOpen });
  const invited = useQuery({ ...invitations(), ...whileOpen, enabled: may('listInvitations') });
  const rules = useQuery({ ...keyRules, enabled: may('updateKeyRules') });
  // Lists of unknown length would move the panels below them.
  const isReady = [people, invited, rules].every(({ isLoading }) => !isLoading);
  const { data: all } = people;
  const { data: open } = invited;
  // The rule restricts other members, so an account of one person does not need it.
  const isTeam = (all?.results.length ?? 0) > 1 || (open?.results.length ?? 0) > 0;
  const shown = useShownAccount();
  const own = all?.results.find(({ person_id }) => person_id === user?.id);
  const [opened, setOpened] = useState<'invite' | 'rename'>();
  const close = (): void => setOpened(undefined);
  return (
    <UnsavedChanges>
      <PageHeading
        title={pages.team.title}
        actions={
          may('createInvitation') ? (
            <Button onClick={() => setOpened('invite')}>Invite People</Button>
          ) : undefined
        }
      >
        Members sign in with a password, a passkey or SSO. Their role limits what they may do.
      </PageHeading>
      <div className="grid grid-cols-1 gap-5">
        <Panel
          id="members"
          title="Members"
          description={`People who can use ${shown?.name || 'this account'}.`}
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
        {isReady && may('listInvitations') ? (
          <Panel id="invitations" title="Invitations" description="Sent by email and not yet accepted.">
            <Invitations />
          </Panel>
        ) : null}
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,22rem),1fr))] gap-5 empty:hidden">
          {isReady && may('updateKeyRules') && isTeam ? (
            <Panel title="Live API keys" description="Who may create, change and rotate them.">
              <KeyRules />
            </Panel>
          ) : null}
          {isReady && own ? (
            <Panel title="Email notifications" description="Emails that you get about this account.">
              <Notices own={own} />
            </Panel>
          ) : null}
        </div>
        {isReady && may('getSso') ? (
          <div id="sso" className="scroll-mt-(--anchor)">
            <Near room={5.8}>
              <SsoPanel />
            </Near>
          </div>
        ) : null}
      </div>
      <OnceOpened opened={opened === 'invite'}>
        {(isShown) => <InviteDialog opened={isShown} onClose={close} own={role} />}
      </OnceOpened>
      <OnceOpened opened={opened === 'rename'}>
        {(isShown) => <RenameAccountDialog opened={isShown} onClose={close} />}
      </OnceOpened>
    </UnsavedChanges>
  );
}
