import { Button } from '@mantine/core';
import { listMembers, type Member, updateNotices } from '@sixdigit/contract/accounts/members.ts';
import { updateKeyRules } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { useMay, useRole } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { store } from '../api/read.ts';
import { keyRules } from '../api-keys/live-keys.ts';
import { UnsavedChanges } from '../form/UnsavedChanges.tsx';
import { pages } from '../pages.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { Near } from '../ui/Near.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { Switch } from '../ui/Switch.ts';
import { Invitations } from './Invitations.tsx';
import { Members } from './Members.tsx';
import { invitations, members, useShownAccount, whileOpen } from './members.ts';

const SsoPanel = lazyPart(async () => (await import('./SsoPanel.tsx')).SsoPanel);
const InviteDialog = lazyDialog(async () => (await import('./InviteDialog.tsx')).InviteDialog);
const RenameAccountDialog = lazyDialog(async () => (await import('./TeamDialogs.tsx')).RenameAccountDialog);

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
      <InviteDialog opened={opened === 'invite'} onClose={close} own={role} />
      <RenameAccountDialog opened={opened === 'rename'} onClose={close} />
    </UnsavedChanges>
  );
}

/** Who may create live keys. Each change is saved immediately. */
function KeyRules() {
  const query = useQuery(keyRules);
  const queryClient = useQueryClient();
  const change = useAction({
    run: (live_keys_need_admin: boolean) => call(updateKeyRules, { body: { live_keys_need_admin } }),
    success: 'Saved',
    failure: 'Failed to save the change',
    refresh: [listAuditEntries],
    done: (rules) => store(queryClient, keyRules, rules),
  });
  return (
    <Loaded query={query} failure="Failed to load the rule for live keys" waiting={1}>
      {({ live_keys_need_admin }) => (
        <Switch
          label="Only owners and admins manage live API keys"
          description="Developers keep their test keys, and can delete live keys. Existing keys keep working."
          checked={change.isPending ? change.variables : live_keys_need_admin}
          aria-disabled={change.isPending}
          onChange={(event) => {
            if (!change.isPending) change.mutate(event.currentTarget.checked);
          }}
        />
      )}
    </Loaded>
  );
}

/** Which mails about the account the user gets. Each change is saved immediately. */
function Notices({ own: { service_notices } }: { own: Member }) {
  const change = useAction({
    run: (isWanted: boolean) => call(updateNotices, { body: { service_notices: isWanted } }),
    success: 'Saved',
    failure: 'Failed to save the change',
    refresh: [listMembers],
  });
  return (
    <Switch
      label="Email me about problems"
      description="Such as webhooks and message domains that stopped working. Owners and admins always get emails about money and security."
      checked={change.isPending ? change.variables : (service_notices ?? true)}
      aria-disabled={change.isPending}
      onChange={(event) => {
        if (!change.isPending) change.mutate(event.currentTarget.checked);
      }}
    />
  );
}
