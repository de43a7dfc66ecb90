import { Button } from '@mantine/core';
import { getProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { acceptInvitation, type ShownInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useAction } from '../api/action.ts';
import { ApiError, call } from '../api/call.ts';
import { read } from '../api/read.ts';
import { isSignedIn } from '../api/session.ts';
import { busyButton } from '../ui/busy-button.ts';
import { longDate } from '../ui/dates.ts';
import { LoadError, LoadingLines } from '../ui/Loaded.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { AuthLayout } from './AuthLayout.tsx';
import { Intro, Notice } from './FormText.tsx';
import { invitationOf } from './invitation.ts';
import { openNewAccount } from './own-accounts.ts';
import { roleNames, roleTexts } from './role-texts.ts';
import { StepUp } from './StepUp.tsx';
import { useSignOut } from './sign-out.ts';

/** The page that the link in an invitation opens. */
export const InvitationPage = () => (
  <AuthLayout>
    <Invited />
    <StepUp />
  </AuthLayout>
);

const ownProfile = read(getProfile, {});

function Invited() {
  const { token } = useParams({ from: '/invitations/$token' });
  const { accept } = useSearch({ from: '/invitations/$token' });
  const [isDead, setDead] = useState(false);
  const query = useQuery(invitationOf(token));
  const { data: profile, error } = useQuery({ ...ownProfile, enabled: isSignedIn() });
  const isGone = isDead || (query.error instanceof ApiError && query.error.status === 404);
  if (isGone) return accept && isSignedIn() ? <Joined /> : <DeadLink />;
  if (query.error || error)
    return <LoadError title="The invitation could not be loaded" onRetry={() => window.location.reload()} />;
  if (!query.data || (isSignedIn() && !profile)) return <LoadingLines />;
  return (
    <>
      <Intro title={`Join ${query.data.account_name}`}>
        {query.data.invited_by ? `${query.data.invited_by} invited you` : 'You are invited'} to join as{' '}
        {roleNames[query.data.role]}.
      </Intro>
      <div className="grid gap-4">
        <Notice>{roleTexts[query.data.role]}</Notice>
        <Choice token={token} invitation={query.data} email={profile?.email} onDead={() => setDead(true)} />
        <Notice>
          The link works until {longDate(query.data.expires_at)}, only for {query.data.email}.
        </Notice>
      </div>
    </>
  );
}

interface Props {
  token: string;
  invitation: ShownInvitation;
  /** of the signed-in person */
  email: string | undefined;
  onDead: () => void;
}

function Choice({ token, invitation, email, onDead }: Props) {
  if (email === undefined) return <SignedOut token={token} />;
  if (email !== invitation.email)
    return <OtherPerson token={token} invited={invitation.email} email={email} />;
  return <Accept token={token} name={invitation.account_name} onDead={onDead} />;
}

function Accept({ token, name, onDead }: { token: string; name: string; onDead: () => void }) {
  const { accept } = useSearch({ from: '/invitations/$token' });
  const [isBySso, setBySso] = useState(false);
  const action = useAction({
    run: () =>
      call(acceptInvitation, { body: { token } }).catch((cause: unknown) => {
        if (cause instanceof ApiError && cause.status === 404) onDead();
        if (cause instanceof ApiError && cause.reason === 'sso_session') setBySso(true);
        throw cause;
      }),
    failure: 'The invitation could not be accepted',
    done: ({ account_id }) => openNewAccount({ id: account_id }),
  });
  // Whoever signed up for the invitation has already accepted it.
  const acceptAtOnce = useEffectEvent(() => {
    if (accept && action.isIdle) action.mutate();
  });
  useEffect(() => acceptAtOnce(), []);
  if (isBySso)
    return (
      <LogOutFirst token={token}>
        You signed in with SSO, which opens only one account. To join another one, sign in with your password
        or passkey.
      </LogOutFirst>
    );
  return (
    <Button
      fullWidth
      {...busyButton(action.isPending)}
      onClick={() => {
        if (!action.isPending) action.mutate();
      }}
    >
      {action.isPending ? 'Joining...' : `Join ${name}`}
    </Button>
  );
}

const SignedOut = ({ token }: { token: string }) => (
  <div className="grid gap-2.5">
    <ButtonLink
      to="/sign-up"
      search={{ invitation: token, redirect: `/invitations/${token}?accept=true` }}
      fullWidth
    >
      Sign Up to Join
    </ButtonLink>
    <ButtonLink
      to="/sign-in"
      search={{ invitation: token, redirect: `/invitations/${token}` }}
      variant="default"
      fullWidth
    >
      Sign In
    </ButtonLink>
  </div>
);

const OtherPerson = ({ token, invited, email }: { token: string; invited: string; email: string }) => (
  <LogOutFirst token={token}>
    This invitation is for <strong className="font-600">{invited}</strong>. You are signed in as{' '}
    <strong className="font-600">{email}</strong>.
  </LogOutFirst>
);

/** The session cannot accept the invitation. */
function LogOutFirst({ token, children }: { token: string; children: ReactNode }) {
  const signOut = useSignOut({ invitation: token, redirect: `/invitations/${token}` });
  return (
    <div className="grid gap-3">
      <p className="m-0 wrap-anywhere" role="status">
        {children}
      </p>
      <Button fullWidth disabled={signOut.isPending} onClick={() => signOut.mutate()}>
        {signOut.isPending ? 'Logging out...' : 'Log Out and Continue'}
      </Button>
      <ButtonLink to="/" variant="default" fullWidth reloadDocument>
        Back to the Dashboard
      </ButtonLink>
    </div>
  );
}

/** A sign-up with the invitation has used it. */
function Joined() {
  useEffect(() => window.location.replace('/'), []);
  return <LoadingLines />;
}

const DeadLink = () => (
  <>
    <Intro title="This invitation no longer works">
      It was accepted or revoked, it has expired, or a newer email replaced it. Ask for a new invitation.
    </Intro>
    <ButtonLink to="/" fullWidth reloadDocument>
      {isSignedIn() ? 'Open the Dashboard' : 'Sign In'}
    </ButtonLink>
  </>
);
