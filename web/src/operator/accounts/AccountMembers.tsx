import { Button } from '@mantine/core';
import {
  endMemberSessions,
  listOperatorAccounts,
  makeOwner,
  type OperatorAccountDetail,
  type OperatorMember,
} from '@sixdigit/contract/operator/accounts.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { currentUser } from '../../accounts/current-user.ts';
import { roleNames } from '../../accounts/role-texts.ts';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/read.ts';
import { shortDate, shortDateTime } from '../../ui/dates.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useIsAdmin } from '../operator.ts';
import { ReasonDialog, type ReasonDialogProps } from '../ReasonDialog.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';

/** The parts of a dialog about one member. */
interface Change extends Pick<ReasonDialogProps, 'title' | 'description' | 'schema' | 'success'> {
  run: (id: string, body: { reason: string }) => Promise<unknown>;
}

const changes = {
  sessions: ({ email, person_id }: OperatorMember): Change => ({
    title: 'End Sessions',
    description: `Signs ${email} out on every device, also from their other accounts. API keys keep working.`,
    schema: endMemberSessions.body,
    success: 'Sessions ended',
    run: (id, body) => call(endMemberSessions, { params: { id, person_id }, body }),
  }),
  owner: ({ email, person_id }: OperatorMember): Change => ({
    title: 'Make Owner',
    description: `Gives ${email} full control of the account: its members, payments and deletion. All members get an email, and the account’s activity shows the change.`,
    schema: makeOwner.body.pick({ reason: true }),
    success: 'Owner added',
    run: (id, { reason }) => call(makeOwner, { params: { id }, body: { person_id, reason } }),
  }),
};
type Name = keyof typeof changes;

/** The members of an account, with what an admin may do about them. */
export function AccountMembers({ account }: { account: OperatorAccountDetail }) {
  const { id, members, state } = account;
  const queryClient = useQueryClient();
  const { data: user } = useQuery(currentUser);
  const mayChange = useIsAdmin() && state !== 'deleted';
  const [asked, setAsked] = useState<{ name: Name; member: OperatorMember }>();
  const [isOpen, setOpen] = useState(false);
  const ask = (name: Name, member: OperatorMember) => (): void => {
    setAsked({ name, member });
    setOpen(true);
  };
  const hasOwner = members.some(({ role }) => role === 'owner');
  return (
    <Panel title="Members">
      {members.length === 0 ? <Note>No members.</Note> : null}
      {members.length > 0 && !hasOwner ? (
        <p className="mt-0 mb-3 text-13 text-orange">
          This account has no owner. Make one of its members an owner.
        </p>
      ) : null}
      <Rows aria-label="Members">
        {members.map((member) => (
          <Row key={member.person_id}>
            <RowText>
              {member.email}
              <small>
                {roleNames[member.role]}, joined {shortDate(member.joined_at)}
              </small>
              <small>{seenText(lastSeenOf(member, account))}</small>
            </RowText>
            {mayChange ? (
              <span className="flex flex-wrap gap-2.5">
                {member.role !== 'owner' && member.person_id !== user?.id ? (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`Make owner: ${member.email}`}
                    onClick={ask('owner', member)}
                  >
                    Make Owner
                  </Button>
                ) : null}
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`End sessions: ${member.email}`}
                  onClick={ask('sessions', member)}
                >
                  End Sessions
                </Button>
              </span>
            ) : null}
          </Row>
        ))}
      </Rows>
      {asked ? (
        <ChangeDialog
          opened={isOpen}
          onClose={() => setOpen(false)}
          change={changes[asked.name](asked.member)}
          submit={async (run, reason) => {
            await run(id, { reason });
            await invalidate(queryClient, listOperatorAccounts);
          }}
        />
      ) : null}
    </Panel>
  );
}

const seenText = (at: string | null): string =>
  at === null ? 'Not seen yet' : `Last seen ${shortDateTime(at)}`;

interface DialogProps {
  opened: boolean;
  onClose: () => void;
  change: Change;
  submit: (run: Change['run'], reason: string) => Promise<void>;
}

const ChangeDialog = ({ change: { run, ...texts }, submit, ...dialog }: DialogProps) => (
  <ReasonDialog {...dialog} {...texts} confirm={texts.title} submit={({ reason }) => submit(run, reason)} />
);

/**
 * When a member was last seen. A membership stores it only every ten minutes, so a session that was used since then, which is listed
 * for the person whose address the account has, is newer.
 */
export function lastSeenOf(
  { email, last_seen_at }: Pick<OperatorMember, 'email' | 'last_seen_at'>,
  account: Pick<OperatorAccountDetail, 'email' | 'sessions'>,
): string | null {
  if (last_seen_at === null || email !== account.email) return last_seen_at;
  const times = [last_seen_at, ...account.sessions.map(({ last_used_at }) => last_used_at)];
  return times.reduce((newest, at) => (Date.parse(at) > Date.parse(newest) ? at : newest));
}
