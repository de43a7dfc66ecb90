import { Anchor, Button } from '@mantine/core';
import type { Passkey } from '@sixdigit/contract/second-factors/passkeys.ts';
import type { SecondFactors } from '@sixdigit/contract/second-factors/second-factors.ts';
import { IconFingerprint } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { canUsePasskeys, localhostUrl } from '../accounts/passkey.ts';
import { secondFactors } from '../accounts/settings.ts';
import { Badge } from '../ui/Badge.tsx';
import { shortDate, shortDateTime } from '../ui/dates.ts';
import { Item, ItemList } from '../ui/ItemList.tsx';
import { hasFailed, Loaded } from '../ui/Loaded.tsx';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { Panel } from '../ui/Panel.tsx';

const AddPasskeyDialog = lazy(async () => ({
  default: (await import('./PasskeyDialogs.tsx')).AddPasskeyDialog,
}));
const ChangePasskeyDialog = lazy(async () => ({
  default: (await import('./PasskeyDialogs.tsx')).ChangePasskeyDialog,
}));

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
      <OnceOpened opened={isAdding}>
        {(opened) => <AddPasskeyDialog opened={opened} onClose={() => setAdding(false)} />}
      </OnceOpened>
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

function Passkeys({ factors }: { factors: SecondFactors }) {
  const [change, setChange] = useState<{ passkey: Passkey; to: 'rename' | 'remove' }>();
  const [isChanging, setChanging] = useState(false);
  const open = (passkey: Passkey, to: 'rename' | 'remove'): void => {
    setChange({ passkey, to });
    setChanging(true);
  };
  const { passkeys, authenticator } = factors;
  return (
    <>
      <ItemList label="Passkeys">
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} onChange={(to) => open(passkey, to)} />
        ))}
      </ItemList>
      <OnceOpened opened={isChanging}>
        {(opened) => (
          <ChangePasskeyDialog
            opened={opened}
            change={change}
            isLast={passkeys.length === 1 && !authenticator}
            onClose={() => setChanging(false)}
          />
        )}
      </OnceOpened>
    </>
  );
}

function PasskeyRow({
  passkey,
  onChange,
}: {
  passkey: Passkey;
  onChange: (to: 'rename' | 'remove') => void;
}) {
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
