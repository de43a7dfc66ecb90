import { Button, Skeleton, TextInput } from '@mantine/core';
import { MEMBERS_MAX, type Member } from '@sixdigit/contract/accounts/members.ts';
import { isAtLeast, type Role } from '@sixdigit/contract/roles.ts';
import { IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { useMay, useRole } from '../accounts/role.ts';
import { roleNames } from '../accounts/role-texts.ts';
import { nowMs } from '../api/clock.ts';
import { Badge } from '../ui/Badge.tsx';
import { relativeTime, shortDate } from '../ui/dates.ts';
import { Item, ItemList } from '../ui/ItemList.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { useChosen } from '../ui/opened.ts';
import { members } from './members.ts';

/** The service notes requests to within ten minutes. */
const SEEN_WITHIN_MS = 600_000;
/** Longer lists have a filter. */
const UNFILTERED = 8;

const ChangeRoleDialog = lazyDialog(async () => (await import('./TeamDialogs.tsx')).ChangeRoleDialog);
const RemoveMemberDialog = lazyDialog(async () => (await import('./TeamDialogs.tsx')).RemoveMemberDialog);
const LeaveDialog = lazyDialog(async () => (await import('./TeamDialogs.tsx')).LeaveDialog);

const ONE_ROW = (
  <div className="h-22 max-sm:h-40">
    <Skeleton height="100%" radius="md" />
  </div>
);

/** The members of the account. */
export function Members() {
  const query = useQuery(members);
  return (
    <Loaded query={query} failure="Failed to load the members" waiting={ONE_ROW}>
      {({ results }) => <MemberList all={results} />}
    </Loaded>
  );
}

type Action = 'role' | 'remove' | 'leave';

function MemberList({ all }: { all: readonly Member[] }) {
  const { data: user } = useQuery(currentUser);
  const role = useRole();
  const may = useMay();
  const [text, setText] = useState('');
  const { row, opened, choose, close } = useChosen<Member, Action>();
  const sought = text.trim().toLowerCase();
  const shown = all.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(sought));
  const owners = all.filter((member) => member.role === 'owner').length;
  return (
    <div className="grid grid-cols-1 gap-3">
      {all.length > UNFILTERED ? (
        <TextInput
          aria-label="Find a member"
          placeholder="Find by name or email"
          className="max-w-80"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : null}
      {shown.length === 0 ? (
        <p className="m-0 text-ink-soft">No member matches “{text.trim()}”.</p>
      ) : (
        <ItemList label="Members">
          {shown.map((member) => (
            <MemberItem
              key={member.person_id}
              member={member}
              isSelf={member.person_id === user?.id}
              isLastOwner={member.role === 'owner' && owners === 1}
              isAlone={all.length === 1}
              isChangeable={isAtLeast(role, member.role)}
              may={may}
              onChoose={(action) => choose(action, member)}
            />
          ))}
        </ItemList>
      )}
      {all.length >= MEMBERS_MAX ? (
        <p className="m-0 text-13 text-ink-soft">
          An account has at most {MEMBERS_MAX} members. Remove one to invite another.
        </p>
      ) : null}
      <ChangeRoleDialog opened={opened === 'role'} onClose={close} member={row} own={role} />
      <RemoveMemberDialog opened={opened === 'remove'} onClose={close} member={row} />
      <LeaveDialog opened={opened === 'leave'} onClose={close} />
    </div>
  );
}

interface ItemProps {
  member: Member;
  isSelf: boolean;
  isLastOwner: boolean;
  isAlone: boolean;
  /** the member's role is not above the user's */
  isChangeable: boolean;
  may: ReturnType<typeof useMay>;
  onChoose: (action: Action) => void;
}

const LAST_OWNER = 'The last owner cannot leave. Make another member an owner first.';
const ONLY_MEMBER = 'The only member cannot leave. You can delete the account instead.';

function MemberItem({ member, isSelf, isLastOwner, isAlone, isChangeable, may, onChoose }: ItemProps) {
  const name = member.name || member.email;
  const reasonId = useId();
  const { last_seen_at } = member;
  const seen = !last_seen_at
    ? 'not seen yet'
    : nowMs() - Date.parse(last_seen_at) < SEEN_WITHIN_MS
      ? 'active now'
      : `last seen ${relativeTime(last_seen_at, nowMs())}`;
  return (
    <Item
      icon={<IconUser size={20} stroke={1.75} aria-hidden />}
      name={
        <>
          {name} <RoleBadge role={member.role} /> {isSelf ? <Badge tone="green">You</Badge> : null}
        </>
      }
      note={
        <>
          {member.name ? <span className="block">{member.email}</span> : null}
          Joined {shortDate(member.joined_at)} · {seen}
          {isSelf && isLastOwner ? (
            <span id={reasonId} className="block">
              {isAlone ? ONLY_MEMBER : LAST_OWNER}
            </span>
          ) : null}
        </>
      }
    >
      {isChangeable && may('changeRole') && !isLastOwner ? (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Change role: ${name}`}
          onClick={() => onChoose('role')}
        >
          Change Role
        </Button>
      ) : null}
      {isSelf ? (
        <Button
          variant="default"
          size="compact-sm"
          aria-disabled={isLastOwner || undefined}
          {...(isLastOwner && { 'aria-describedby': reasonId, 'data-disabled': true })}
          onClick={() => {
            if (!isLastOwner) onChoose('leave');
          }}
        >
          Leave
        </Button>
      ) : isChangeable && may('removeMember') && !isLastOwner ? (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Remove: ${name}`}
          onClick={() => onChoose('remove')}
        >
          Remove
        </Button>
      ) : null}
    </Item>
  );
}

const RoleBadge = ({ role }: { role: Role }) => (
  <Badge tone={role === 'owner' ? 'petrol' : 'gray'}>{roleNames[role]}</Badge>
);
