import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { hasFailed, Loaded, Placeholder } from '../ui/Loaded.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { LoadingText } from '../ui/Near.tsx';
import { Panel } from '../ui/Panel.tsx';
import { whileOpen } from './members.ts';
import { sso } from './sso.ts';

const SsoSetup = lazyPart(async () => (await import('./SsoSetup.tsx')).SsoSetup);

/** Sets up single sign-on with the account's own identity provider. */
export function SsoPanel() {
  const query = useQuery({ ...sso, ...whileOpen });
  const [isBegun, setBegun] = useState<boolean>();
  const isOff = query.data?.settings === null && !isBegun;
  const isWaiting = query.data === undefined && !hasFailed(query);
  return (
    <Panel
      title="Single sign-on"
      description="With single sign-on (SSO), members sign in at your identity provider (OpenID Connect)."
      actions={
        isOff ? (
          <Button variant="default" autoFocus={isBegun === false} onClick={() => setBegun(true)}>
            Set Up SSO
          </Button>
        ) : isWaiting ? (
          <Placeholder>
            <Skeleton height={36} width="7rem" radius="md" />
          </Placeholder>
        ) : undefined
      }
    >
      {isOff || isWaiting ? null : (
        <Loaded query={query} failure="Failed to load single sign-on">
          {(state) => (
            <Suspense fallback={<LoadingText />}>
              <SsoSetup state={state} onOff={() => setBegun(false)} />
            </Suspense>
          )}
        </Loaded>
      )}
    </Panel>
  );
}
