import { Button } from '@mantine/core';
import type { Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { finishSso, linkSso, SSO_TEST_STATE, type SsoReply } from '@sixdigit/contract/accounts/sso.ts';
import { failures } from '@sixdigit/contract/errors.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { forgetAccounts, loseAccount, namesAccount } from '../../api/account.ts';
import { useAction } from '../../api/action.ts';
import { call, sentence } from '../../api/call.ts';
import { isSignedIn, keepTokens, pathOfThisOrigin, refreshToken } from '../../api/session.ts';
import { announceProof } from '../../api/step-up.ts';
import { busyButton } from '../../ui/busy-button.ts';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';
import { LoadingLines } from '../../ui/Loaded.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { AuthLayout } from '../AuthLayout.tsx';
import { Intro, OtherPage } from '../FormText.tsx';
import { announceJoining } from '../joined.ts';
import { openNewAccount } from '../own-accounts.ts';
import { StepUp } from '../StepUp.tsx';
import { endOnServer } from '../sign-out.ts';
import { once } from './once.ts';
import { SsoTestResult } from './SsoTestResult.tsx';
import { beginSsoStepUp, keepLink, keptLink, keptLogin } from './sso-login.ts';

/** The page to which the identity provider sends the browser back. */
export function SsoCallback() {
  const given = new URLSearchParams(window.location.search);
  const { account_id } = useParams({ strict: false });
  return (
    <AuthLayout>
      {given.has('confirm') ? (
        <Confirm />
      ) : given.has('link') ? (
        <LinkIdentity />
      ) : given.get('state')?.startsWith(SSO_TEST_STATE) ? (
        <SsoTestResult given={given} account_id={account_id ?? ''} />
      ) : (
        <Finish />
      )}
      <StepUp />
    </AuthLayout>
  );
}

/** Begins a step-up. */
function Confirm() {
  const query = useQuery({
    ...once,
    queryKey: ['sso-step-up'],
    queryFn: async () => {
      await beginSsoStepUp();
      return null;
    },
  });
  if (query.isError) return <NotConfirmed reason={sentence(query.error, 'Failed to confirm')} />;
  return (
    <>
      <Intro title="Confirm it is you">Your organization’s sign-in page opens.</Intro>
      <LoadingLines />
    </>
  );
}

/** A callback works once, so it is never sent again. */
const finished = (address: string, of_account: string | undefined) =>
  queryOptions({
    ...once,
    queryKey: ['sso-callback', address, of_account],
    queryFn: async (): Promise<SsoReply | null> => {
      const given = new URLSearchParams(address);
      const login = keptLogin();
      if (!login) return null;
      const reply = await call(finishSso, {
        body: {
          login_token: login.login_token,
          ...(of_account !== undefined && { account_id: of_account }),
          ...(given.get('state') && { state: given.get('state') ?? '' }),
          ...(given.get('code') && { code: given.get('code') ?? '' }),
          ...(given.get('iss') && { iss: given.get('iss') ?? '' }),
          ...(given.get('error') && { provider_error: given.get('error') ?? '' }),
        },
      });
      const { access, refresh, link_token } = reply;
      const back = pathOfThisOrigin(login.redirect);
      if (access && refresh) await enter({ access, refresh }, reply, back);
      else if (link_token) keepLink(link_token);
      else {
        announceProof();
        // Some browsers do not close a tab that was opened by a link.
        window.close();
      }
      return reply;
    },
  });

async function enter(
  tokens: Tokens,
  { account_id, joined }: Pick<SsoReply, 'account_id' | 'joined'>,
  back: string,
): Promise<void> {
  const replaced = refreshToken();
  forgetAccounts();
  loseAccount();
  keepTokens(tokens);
  // Nothing in the browser refers to the earlier session any more.
  if (replaced !== null) await endOnServer(replaced);
  if (joined) await announceJoining(account_id);
  if (back === '/' || namesAccount(back)) await openNewAccount({ id: account_id, replaces: true });
  else window.location.replace(back);
}

function Finish() {
  const { account_id } = useParams({ strict: false });
  const query = useQuery(finished(window.location.search, account_id));
  const [login] = useState(keptLogin);
  if (query.isError) {
    const reason = sentence(query.error, 'The sign-in could not be completed.');
    return login?.isStepUp ? <NotConfirmed reason={reason} /> : <Failed reason={reason} />;
  }
  if (query.data === null)
    return <Failed reason={hasError() ? failures.sso_denied.error : failures.invalid_sso_login.error} />;
  if (query.data?.link_token) return <MustSignIn email={query.data.email ?? ''} />;
  if (query.data?.proven_until)
    return <Intro title="Confirmed">Close this window. The page that you came from continues.</Intro>;
  return (
    <>
      <Intro title={login?.isStepUp ? 'Confirming' : 'Signing you in'}>
        Your organization has confirmed who you are.
      </Intro>
      <LoadingLines />
    </>
  );
}

const hasError = (): boolean => new URLSearchParams(window.location.search).has('error');

const Failed = ({ reason }: { reason: string }) => (
  <>
    <h1>Sign-in failed</h1>
    <ErrorAlert problem={reason} takesFocus />
    {isSignedIn() ? (
      <ButtonLink to="/" replace reloadDocument fullWidth className="mt-4">
        Open the Dashboard
      </ButtonLink>
    ) : (
      <ButtonLink to="/sign-in" replace fullWidth className="mt-4">
        Back to Sign In
      </ButtonLink>
    )}
  </>
);

/** A step-up has failed. */
const NotConfirmed = ({ reason }: { reason: string }) => (
  <>
    <h1>Not confirmed</h1>
    <ErrorAlert problem={reason} takesFocus />
    <p className="text-ink-soft">
      If this happens again, log out and sign in with SSO. A sign-in proves your identity for 15 minutes.
    </p>
    <Button fullWidth onClick={() => window.close()}>
      Close Window
    </Button>
  </>
);

const LINKING = '/sso/callback?link=true';

/** The address belongs to a person, whom the provider alone must not sign in. */
const MustSignIn = ({ email }: { email: string }) => (
  <>
    <Intro title="Confirm it is you">
      {email} is already registered.{' '}
      {isSignedIn()
        ? 'Continue to link SSO to your profile.'
        : 'Sign in once with your password or passkey. From then on, you can sign in with SSO.'}
    </Intro>
    {isSignedIn() ? (
      <Button fullWidth onClick={() => window.location.replace(LINKING)}>
        Continue
      </Button>
    ) : (
      <ButtonLink to="/sign-in" search={{ redirect: LINKING }} replace fullWidth>
        Sign In
      </ButtonLink>
    )}
  </>
);

/** Links the identity to the person who has signed in. */
function LinkIdentity() {
  const [problem, setProblem] = useState<string>();
  const token = keptLink();
  const link = useAction({
    run: async () => {
      setProblem(undefined);
      return call(linkSso, { body: { link_token: token ?? '' } }).catch((cause: unknown) => {
        setProblem(sentence(cause, 'SSO could not be linked.'));
        throw cause;
      });
    },
    failure: 'SSO could not be linked.',
    done: async ({ access, refresh, ...reply }) => {
      keepLink(null);
      await enter({ access, refresh }, reply, '/');
    },
  });
  if (!token || !isSignedIn())
    return <Failed reason="The sign-in with SSO took too long. Please start again." />;
  return (
    <>
      <Intro title="Link SSO to your profile">
        You can then open this account with SSO. Your password and passkeys keep working, unless the account
        requires SSO.
      </Intro>
      <ErrorAlert problem={problem} />
      <Button
        fullWidth
        className="mt-4"
        {...busyButton(link.isPending)}
        onClick={() => {
          if (!link.isPending) link.mutate();
        }}
      >
        {link.isPending ? 'Linking...' : 'Link and Continue'}
      </Button>
      <OtherPage>
        <ButtonLink to="/" variant="subtle" replace reloadDocument>
          Not Now
        </ButtonLink>
      </OtherPage>
    </>
  );
}
