import { Button, Skeleton } from '@mantine/core';
import { deviceOf } from '@sixdigit/contract/accounts/device.ts';
import {
  endAllSessions,
  endSession,
  listSessions,
  type Session,
} from '@sixdigit/contract/accounts/sessions.ts';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { sessions } from '../accounts/settings.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { SIGN_OUT } from '../api/queries.ts';
import { dropTokens } from '../api/session.ts';
import { Badge } from '../ui/Badge.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { shortDateTime } from '../ui/dates.ts';
import { Item, ItemList } from '../ui/ItemList.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { LazyConfirmDialog } from '../ui/lazy-dialog.tsx';

const ONE_ROW = <Skeleton height={88} radius="md" />;

/** Lists the account's sessions. Each except the current one can be ended. */
export function Sessions() {
  const query = useQuery(sessions);
  const end = useAction({
    run: (session: Session) => call(endSession, { params: { id: session.id } }),
    success: 'Session ended',
    failure: 'Failed to end the session',
    refresh: [listSessions],
  });
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-[0.35rem]">
        <h3 className="m-0 text-15 font-650">Sessions</h3>
        <SignOutEverywhere />
      </div>
      <Loaded query={query} failure="Failed to load your sessions" waiting={ONE_ROW}>
        {(all) => (
          <ItemList label="Sessions">
            {all.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                isEnding={end.isPending && end.variables.id === session.id}
                onEnd={() => end.mutate(session)}
              />
            ))}
          </ItemList>
        )}
      </Loaded>
    </div>
  );
}

function SessionRow(props: { session: Session; isEnding: boolean; onEnd: () => void }) {
  const { session, isEnding, onEnd } = props;
  const device = deviceOf(session.user_agent);
  const Icon = /iPhone|Android/.test(device) ? IconDeviceMobile : IconDeviceDesktop;
  const address = session.ip_address ?? 'Unknown address';
  return (
    <Item
      isShort
      icon={<Icon size={20} stroke={1.75} aria-hidden />}
      name={
        <>
          {device} {session.is_current ? <Badge tone="green">This session</Badge> : null}
        </>
      }
      note={
        <>
          {session.place ? `${address} (${session.place})` : address}
          <span className="block">Last used {shortDateTime(session.last_used_at)}</span>
        </>
      }
    >
      {session.is_current ? null : (
        <Button
          variant="default"
          size="compact-sm"
          {...busyButton(isEnding)}
          aria-label={`End session: ${device}, ${address}`}
          onClick={() => {
            if (!isEnding) onEnd();
          }}
        >
          End
        </Button>
      )}
    </Item>
  );
}

function SignOutEverywhere() {
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const end = useAction({
    key: SIGN_OUT,
    run: async () => {
      // Queries still in flight would fail with 401.
      await queryClient.cancelQueries();
      return call(endAllSessions, { body: {} });
    },
    success: 'Signed out everywhere',
    failure: 'Failed to sign out everywhere',
    done: async () => {
      dropTokens();
      await navigate({ to: '/sign-in' });
      queryClient.clear();
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Sign Out Everywhere
      </Button>
      <LazyConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Sign Out Everywhere"
        confirm="Sign Out Everywhere"
        isDangerous
        isBusy={end.isPending}
        onConfirm={() => end.mutate()}
      >
        <p className="m-0 text-ink-soft">
          All devices, including this one, are signed out immediately. API keys keep working.
        </p>
      </LazyConfirmDialog>
    </>
  );
}
