import { Anchor, Button } from '@mantine/core';
import { type Passkey, removePasskey } from '@sixdigit/contract/second-factors/passkeys.ts';
import { getSecondFactors, type SecondFactors } from '@sixdigit/contract/second-factors/second-factors.ts';
import { IconFingerprint } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { canUsePasskeys, localhostUrl } from '../accounts/passkey.ts';
import { secondFactors } from '../accounts/settings.ts';
import { call } from '../api/call.ts';
import { Badge } from '../ui/Badge.tsx';
import { shortDate, shortDateTime } from '../ui/dates.ts';
import { Item, ItemList } from '../ui/ItemList.tsx';
import { hasFailed, Loaded } from '../ui/Loaded.tsx';
import { LazyActionDialog, lazyDialog } from '../ui/lazy-dialog.tsx';
import { useChosen } from '../ui/opened.ts';
import { Panel } from '../ui/Panel.tsx';

const AddPasskeyDialog = lazyDialog(async () => (await import('./PasskeyDialogs.tsx')).AddPasskeyDialog);
const RenamePasskeyDialog = lazyDialog(
  async () => (await import('./PasskeyDialogs.tsx')).RenamePasskeyDialog,
);

export function PasskeysPanel() {
  const query = useQuery(secondFactors);
  const [isAdding, setAdding] = useState(false);
  const isPossible = canUsePasskeys();
  const failed = hasFailed(query);
  const has = (query.data?.passkeys.length ?? 0) > 0;
  return (
    <Panel
      title="Passkeys"
      description="Your device signs you in with your fingerprint, face or PIN. A fake website cannot use a passkey."
      actions={
        isPossible ? (
          <Button variant="default" onClick={() => setAdding(true)}>
            Add Passkey
          </Button>
        ) : undefined
      }
    >
      {isPossible || failed ? null : <WhyNone />}
      {has || failed ? (
        <Loaded query={query} failure="Failed to load your passkeys">
          {(loaded) => <Passkeys factors={loaded} />}
        </Loaded>
      ) : null}
      <AddPasskeyDialog opened={isAdding} onClose={() => setAdding(false)} />
    </Panel>
  );
}

function WhyNone() {
  const onLocalhost = localhostUrl();
  return (
    <p className="m-0 text-14 text-ink-soft not-last:mb-3.5">
      This browser cannot use passkeys at this address. They need HTTPS and a host name, or localhost.
      {onLocalhost === undefined ? null : (
        <>
          {' '}
          Sign in at{' '}
          <Anchor href={onLocalhost} inherit>
            localhost
          </Anchor>{' '}
          to add one.
        </>
      )}
    </p>
  );
}

type Action = 'rename' | 'remove';

function Passkeys({ factors: { passkeys, authenticator } }: { factors: SecondFactors }) {
  const { row, opened, choose, close } = useChosen<Passkey, Action>();
  const isLast = passkeys.length === 1 && !authenticator;
  return (
    <>
      <ItemList label="Passkeys">
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} onChange={(to) => choose(to, passkey)} />
        ))}
      </ItemList>
      <RenamePasskeyDialog opened={opened === 'rename'} onClose={close} passkey={row} />
      <LazyActionDialog
        opened={opened === 'remove'}
        onClose={close}
        title="Remove Passkey"
        confirm="Remove"
        isDangerous
        of={row}
        run={({ id }) => call(removePasskey, { params: { id } })}
        success="Passkey removed"
        failure="Failed to remove the passkey"
        refresh={[getSecondFactors]}
      >
        <p className="m-0 text-ink-soft">
          You can no longer sign in with “{row?.name}”. Delete it on your device too.{' '}
          {isLast
            ? 'It is your last passkey, and you have no authenticator app: signing in no longer asks for either, and your recovery codes stop working.'
            : null}
        </p>
      </LazyActionDialog>
    </>
  );
}

function PasskeyRow({ passkey, onChange }: { passkey: Passkey; onChange: (to: Action) => void }) {
  const { name, is_synced, created_at, last_used_at } = passkey;
  return (
    <Item
      icon={<IconFingerprint size={20} stroke={1.75} aria-hidden />}
      name={
        <>
          {name} {is_synced ? <Badge tone="gray">Synced</Badge> : null}
        </>
      }
      note={
        <>
          Added {shortDate(created_at)} · last used {last_used_at ? shortDateTime(last_used_at) : 'never'}
        </>
      }
    >
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Rename passkey: ${name}`}
        onClick={() => onChange('rename')}
      >
        Rename
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Remove passkey: ${name}`}
        onClick={() => onChange('remove')}
      >
        Remove
      </Button>
    </Item>
  );
}
