import { Button, Skeleton } from '@mantine/core';
import {
  type Invitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '@sixdigit/contract/accounts/invitations.ts';
import { IconMail } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { roleNames } from '../accounts/role-texts.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { Badge } from '../ui/Badge.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { Item, ItemList } from '../ui/ItemList.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { LazyActionDialog } from '../ui/lazy-dialog.tsx';
import { useChosen } from '../ui/opened.ts';
import { invitations } from './members.ts';

const ONE_LINE = (
  <div className="grid h-[1.55em] items-center">
    <Skeleton height={12} width="40%" radius="xl" />
  </div>
);

/** The open invitations of the account. */
export function Invitations() {
  const query = useQuery(invitations());
  const { row, opened, choose, close } = useChosen<Invitation, 'revoke'>();
  const frame = useRef<HTMLDivElement>(null);
  return (
    <div ref={frame} tabIndex={-1} className="outline-offset-4">
      <Loaded query={query} waiting={ONE_LINE} failure="Failed to load the invitations">
        {({ results }) =>
          results.length === 0 ? (
            <p className="m-0 text-14 text-ink-soft">No open invitations.</p>
          ) : (
            <ItemList label="Open invitations">
              {results.map((invitation) => (
                <InvitationItem
                  key={invitation.id}
                  invitation={invitation}
                  onRevoke={() => choose('revoke', invitation)}
                />
              ))}
            </ItemList>
          )
        }
      </Loaded>
      <LazyActionDialog
        opened={opened === 'revoke'}
        onClose={close}
        title="Revoke Invitation"
        confirm="Revoke"
        isDangerous
        of={row}
        run={({ id }) => call(revokeInvitation, { params: { id } })}
        success="Invitation revoked"
        failure="Failed to revoke the invitation"
        refresh={[listInvitations]}
        done={() => {
          // The dialog returns the focus to a neighbor in the list, but the last invitation has none.
          if (query.data?.results.length === 1) frame.current?.focus();
          close();
        }}
      >
        <p className="m-0 wrap-anywhere text-ink-soft">
          The link in the email to {row?.email} stops working immediately.
        </p>
      </LazyActionDialog>
    </div>
  );
}

function InvitationItem({ invitation, onRevoke }: { invitation: Invitation; onRevoke: () => void }) {
  const { id, email, role, invited_by, expires_at, link } = invitation;
  const resend = useAction({
    run: () => call(resendInvitation, { params: { id } }),
    success: 'Invitation sent again. The link in the earlier email no longer works.',
    failure: 'Failed to send the invitation',
    refresh: [listInvitations],
  });
  const isOver = Date.parse(expires_at) <= nowMs();
  return (
    <Item
      icon={<IconMail size={20} stroke={1.75} aria-hidden />}
      name={
        <>
          {email} <Badge tone="gray">{roleNames[role]}</Badge>{' '}
          {isOver ? <Badge tone="orange">Expired</Badge> : null}
        </>
      }
      note={`${isOver ? 'Expired' : 'Expires'} ${shortDateTime(expires_at)}${invited_by ? ` · invited by ${invited_by}` : ''}`}
    >
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Resend: ${email}`}
        {...busyButton(resend.isPending)}
        onClick={() => {
          if (!resend.isPending) resend.mutate();
        }}
      >
        {resend.isPending ? 'Sending...' : 'Resend'}
      </Button>
      <Button variant="default" size="compact-sm" aria-label={`Revoke: ${email}`} onClick={onRevoke}>
        Revoke
      </Button>
      {link ? <CopyButton value={link} label={`Copy the link for ${email}`} withToast /> : null}
    </Item>
  );
}
