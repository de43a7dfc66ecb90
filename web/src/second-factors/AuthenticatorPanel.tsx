import { Button, Skeleton } from '@mantine/core';
import {
  createRecoveryCodes,
  getSecondFactors,
  removeAuthenticator,
  type SecondFactors,
} from '@sixdigit/contract/second-factors/second-factors.ts';
import { IconDeviceMobile } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { secondFactors } from '../accounts/settings.ts';
import { call } from '../api/call.ts';
import { shortDate, shortDateTime } from '../ui/dates.ts';
import { Item, ItemList } from '../ui/ItemList.tsx';
import { hasFailed, Placeholder, QueryError } from '../ui/Loaded.tsx';
import { LazyActionDialog, lazyDialog } from '../ui/lazy-dialog.tsx';
import { Panel } from '../ui/Panel.tsx';

const AuthenticatorDialog = lazyDialog(
  async () => (await import('./AuthenticatorDialog.tsx')).AuthenticatorDialog,
);
const RecoveryCodesDialog = lazyDialog(
  async () => (await import('./RecoveryCodesDialog.tsx')).RecoveryCodesDialog,
);

export function AuthenticatorPanel() {
  const query = useQuery(secondFactors);
  const [isSettingUp, setSettingUp] = useState(false);
  const failed = hasFailed(query);
  return (
    <Panel
      title="Authenticator app"
      description="An app on your phone shows a new code every 30 seconds. It works offline, and no code is sent that could be intercepted."
      actions={
        query.data === undefined && !failed ? (
          <Placeholder>
            <Skeleton height={36} width="13rem" radius="md" />
          </Placeholder>
        ) : query.data?.authenticator === null ? (
          <Button variant="default" onClick={() => setSettingUp(true)}>
            Set Up Authenticator App
          </Button>
        ) : undefined
      }
    >
      {failed ? <QueryError query={query} message="Failed to load the authenticator app" /> : null}
      {query.data?.authenticator ? <Authenticator authenticator={query.data.authenticator} /> : null}
      <AuthenticatorDialog opened={isSettingUp} onClose={() => setSettingUp(false)} />
    </Panel>
  );
}

function Authenticator({ authenticator }: { authenticator: NonNullable<SecondFactors['authenticator']> }) {
  const [isRemoving, setRemoving] = useState(false);
  return (
    <>
      <ItemList label="Authenticator app">
        <Item
          icon={<IconDeviceMobile size={20} stroke={1.75} aria-hidden />}
          name="Authenticator app"
          note={
            <>
              Added {shortDate(authenticator.created_at)} · last used{' '}
              {authenticator.last_used_at ? shortDateTime(authenticator.last_used_at) : 'never'}
            </>
          }
        >
          <Button
            variant="default"
            size="compact-sm"
            aria-label="Remove the authenticator app"
            onClick={() => setRemoving(true)}
          >
            Remove
          </Button>
        </Item>
      </ItemList>
      <LazyActionDialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove Authenticator App"
        confirm="Remove"
        isDangerous
        run={() => call(removeAuthenticator)}
        success="Authenticator app removed"
        failure="Failed to remove the authenticator app"
        refresh={[getSecondFactors]}
      >
        <p className="m-0 text-14 text-ink-soft">
          Signing in no longer asks for its codes. If it is your last app or passkey, your recovery codes stop
          working too.
        </p>
      </LazyActionDialog>
    </>
  );
}

/** Shown while there is an app or a passkey that the codes can replace. */
export function RecoveryCodesPanel() {
  const { data } = useQuery(secondFactors);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [dialog, setDialog] = useState<'confirm' | 'codes'>();
  if (!data || (!data.authenticator && data.passkeys.length === 0)) return null;
  const left = data.recovery_codes_left;
  return (
    <Panel
      title="Recovery codes"
      description="Each code signs you in once if you lose your second factor. Store them in a safe place."
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className={`text-14 font-550 ${left < 3 ? 'text-error' : ''}`}>{left} of 10 codes left</span>
        <Button variant="default" size="compact-sm" onClick={() => setDialog('confirm')}>
          Create New Codes
        </Button>
      </div>
      <LazyActionDialog
        opened={dialog === 'confirm'}
        onClose={() => setDialog(undefined)}
        title="Create New Recovery Codes"
        confirm="Create New Codes"
        run={() => call(createRecoveryCodes)}
        failure="Failed to create recovery codes"
        refresh={[getSecondFactors]}
        done={(reply) => {
          setCodes(reply.recovery_codes);
          setDialog('codes');
        }}
      >
        <p className="m-0 text-14 text-ink-soft">Your current codes stop working immediately.</p>
      </LazyActionDialog>
      <RecoveryCodesDialog
        opened={dialog === 'codes'}
        codes={codes}
        onClose={() => setDialog(undefined)}
        onClosed={() => setCodes([])}
      />
    </Panel>
  );
}
