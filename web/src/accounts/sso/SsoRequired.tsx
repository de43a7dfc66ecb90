import { Button } from '@mantine/core';
import { getProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { tabAccount } from '../../api/account.ts';
import { sentence } from '../../api/call.ts';
import { read } from '../../api/read.ts';
import { busyButton } from '../../ui/busy-button.ts';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { AuthLayout } from '../AuthLayout.tsx';
import { Intro, OtherPage } from '../FormText.tsx';
import { nameOf, openAccount, ownAccounts } from '../own-accounts.ts';
import { useSignOut } from '../sign-out.ts';
import { beginSso } from './sso-login.ts';

const profile = read(getProfile, {});

/** The account of this tab requires single sign-on, and the session began otherwise. */
export function SsoRequired() {
  const signOut = useSignOut();
  const query = useQuery(profile);
  return (
    <AuthLayout>
      <Intro title="Sign in with SSO">
        {tabAccount()?.name || 'This account'} requires single sign-on (SSO). You cannot open it with a
        password or passkey.
      </Intro>
      <Loaded query={query} failure="Failed to load your profile">
        {({ email }) => <Begin email={email} />}
      </Loaded>
      <OtherAccounts />
      <OtherPage>
        <Button variant="subtle" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
          {signOut.isPending ? 'Logging out...' : 'Log Out'}
        </Button>
      </OtherPage>
    </AuthLayout>
  );
}

/** An SSO session has one account, so its addresses name none. */
function Begin({ email }: { email: string }) {
  const here = useLocation({ select: ({ href }) => href });
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const begin = async (): Promise<void> => {
    setProblem(undefined);
    setBusy(true);
    try {
      await beginSso(email, here);
    } catch (cause) {
      setBusy(false);
      setProblem(sentence(cause, 'An unexpected error occurred'));
    }
  };
  return (
    <div className="grid gap-4">
      <ErrorAlert problem={problem} />
      <Button
        fullWidth
        {...busyButton(isBusy)}
        onClick={() => {
          if (!isBusy) void begin();
        }}
      >
        {isBusy ? 'Opening...' : 'Sign In with SSO'}
      </Button>
    </div>
  );
}

function OtherAccounts() {
  const { data } = useQuery(ownAccounts);
  const [first] = data?.results ?? [];
  const here = tabAccount()?.id ?? first?.id;
  const others = (data?.results ?? []).filter(({ id }) => id !== here);
  if (others.length === 0) return null;
  return (
    <section aria-label="Your other accounts" className="mt-6 grid gap-2">
      <h2 className="m-0 text-15 font-600">Your other accounts</h2>
      {others.map((account) => (
        <Button key={account.id} variant="default" fullWidth onClick={() => openAccount(account.slug)}>
          {nameOf(account)}
        </Button>
      ))}
    </section>
  );
}
