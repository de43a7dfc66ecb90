import { Button } from '@mantine/core';
import type { Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { finishSso, linkSso, type SsoReply } from '@sixdigit/contract/accounts/sso.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { forgetAccounts, loseAccount, namesAccount } from '../../api/account.ts';
import { useAction } from '../../api/action.ts';
import { call, sentence } from '../../api/call.ts';
import { isSignedIn, keepTokens, pathOfThisOrigin } from '../../api/session.ts';
import { tabData } from '../../api/site-data.ts';
import { busyButton } from '../../ui/busy-button.ts';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';
import { LoadingLines } from '../../ui/Loaded.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { AuthLayout } from '../AuthLayout.tsx';
import { Intro, OtherPage } from '../FormText.tsx';
import { openNewAccount } from '../own-accounts.ts';
import { StepUp } from '../StepUp.tsx';
import { keepLink, keptLink, keptLogin } from './sso-login.ts';

/** The page to which the identity provider sends the browser back. */
export const SsoCallback = () => (
  <AuthLayout>
    {new URLSearchParams(window.location.search).has('link') ? <LinkIdentity /> : <Finish />}
    <StepUp />
  </AuthLayout>
);

/** A callback works once, so it is never sent again. */
const finished = (address: string) =>
  queryOptions({
    queryKey: ['sso-callback', address],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: async (): Promise<SsoReply | null> => {
      const given = new URLSearchParams(address);
      const login = keptLogin();
      const state = given.get('state');
      if (!login || !state) return null;
      const reply = await call(finishSso, {
        body: {
          login_token: login.login_token,
          state,
          ...(given.get('code') && { code: given.get('code') ?? '' }),
          ...(given.get('iss') && { iss: given.get('iss') ?? '' }),
          ...(given.get('error') && { provider_error: given.get('error') ?? '' }),
        },
      });
      tabData.set('sso_login', null);
      const { access, refresh, account_id, link_token } = reply;
      const back = pathOfThisOrigin(login.redirect);
      if (access && refresh) await enter({ access, refresh }, account_id, back);
      else if (link_token) keepLink(link_token);
      else window.location.replace(back);
      return reply;
    },
  });

async function enter(tokens: Tokens, account_id: string, back: string): Promise<void> {
  forgetAccounts();
  loseAccount();
  keepTokens(tokens);
  if (back === '/' || namesAccount(back)) await openNewAccount({ id: account_id });
  else window.location.replace(back);
}

function Finish() {
  const query = useQuery(finished(window.location.search));
  if (query.isError) return <Failed reason={sentence(query.error, 'The sign-in could not be completed.')} />;
  if (query.data === null)
    return <Failed reason="This browser did not begin the sign-in, or it took more than 10 minutes." />;
  if (query.data?.link_token) return <MustSignIn email={query.data.email ?? ''} />;
  return (
    <>
      <Intro title="Signing you in">Your organization has confirmed who you are.</Intro>
      <LoadingLines />
    </>
  );
}

const Failed = ({ reason }: { reason: string }) => (
  <>
    <h1>Sign-in failed</h1>
    <ErrorAlert problem={reason} takesFocus />
    <ButtonLink to="/sign-in" fullWidth className="mt-4">
      Back to Sign In
    </ButtonLink>
  </>
);

const LINKING = '/sso/callback?link=true';

/** The address belongs to a person, whom the provider alone must not sign in. */
const MustSignIn = ({ email }: { email: string }) => (
  <>
    <Intro title="Confirm that it is you">
      {email} already has a password or passkey here. Sign in with it once. From then on, SSO signs you in.
    </Intro>
    {isSignedIn() ? (
      <Button fullWidth onClick={() => window.location.assign(LINKING)}>
        Continue
      </Button>
    ) : (
      <ButtonLink to="/sign-in" search={{ redirect: LINKING }} fullWidth>
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
        setProblem(sentence(cause, 'The sign-in could not be linked.'));
        throw cause;
      });
    },
    failure: 'The sign-in could not be linked.',
    done: async ({ access, refresh, account_id }) => {
      keepLink(null);
      await enter({ access, refresh }, account_id, '/');
    },
  });
  if (!token || !isSignedIn()) return <Failed reason="The sign-in with SSO took too long. Begin again." />;
  return (
    <>
      <Intro title="Link SSO to your sign-in">
        From now on, you can open this account with SSO. Your password and passkeys stay valid for your other
        accounts.
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
        <ButtonLink to="/" variant="subtle" reloadDocument>
          Not now
        </ButtonLink>
      </OtherPage>
    </>
  );
}
