import { Button } from '@mantine/core';
import { getProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { acceptInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { useQuery } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAction } from '../api/action.ts';
import { ApiError, call } from '../api/call.ts';
import { reloadPage } from '../api/connection.ts';
import { read } from '../api/read.ts';
import { isSignedIn } from '../api/session.ts';
import { otherPages } from '../pages.ts';
import { busyButton } from '../ui/busy-button.ts';
import { longDate } from '../ui/dates.ts';
import { LoadError, LoadingLines } from '../ui/Loaded.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { AuthLayout } from './AuthLayout.tsx';
import { Intro, Notice } from './FormText.tsx';
import { invitationOf } from './invitation.ts';
import { announceJoining } from './joined.ts';
import { keepInvitation } from './kept-invitation.ts';
import { openNewAccount } from './own-accounts.ts';
import { roleNames, roleTexts } from './role-texts.ts';
import { StepUp } from './StepUp.tsx';
import { useSignOut } from './sign-out.ts';

/** Back to this page, whose token the tab keeps. */
const RETURN = { redirect: otherPages.invitation.path };

/** The page that the link in an invitation opens. Another link opened in the same tab replaces it. */
export function InvitationPage() {
  const token = useRouteContext({ from: '/invitations', select: (context) => context.token });
  return (
    <AuthLayout>
      <Invited key={token} token={token} />
      <StepUp />
    </AuthLayout>
  );
}

const ownProfile = read(getProfile, {});

function Invited({ token }: { token: string }) {
  const [isDead, setDead] = useState(false);
  const query = useQuery({ ...invitationOf(token), enabled: token !== '' });
  const { data: profile, error } = useQuery({ ...ownProfile, enabled: isSignedIn() });
  if (token === '') return <NoLink />;
  const isGone = isDead || (query.error instanceof ApiError && query.error.status === 404);
  if (isGone) return <DeadLink />;
  if (query.error || error)
    return <LoadError title="The invitation could not be loaded" onRetry={() => void reloadPage()} />;
  if (!query.data || (isSignedIn() && !profile)) return <LoadingLines />;
  const { account_name, email, role, invited_by, expires_at } = query.data;
  return (
    <>
      <Intro
        title={
          account_name ? (
            <>
              Join “<bdi>{account_name}</bdi>”
            </>
          ) : (
            'Join this account'
          )
        }
      >
        {invited_by ? `${invited_by} invited you` : 'You are invited'} to join as {roleNames[role]}.
      </Intro>
      <div className="grid gap-4">
        <Notice>
          You {roleTexts[role].replace('Can', 'can')} The invitation is valid for {email} until{' '}
          {longDate(expires_at)}.
        </Notice>
        <Choice token={token} invited={email} email={profile?.email} onDead={() => setDead(true)} />
      </div>
    </>
  );
}

interface Props {
  token: string;
  /** the address of the invitation */
  invited: string;
  /** of the signed-in person */
  email: string | undefined;
  onDead: () => void;
}

function Choice({ token, invited, email, onDead }: Props) {
  if (email === undefined) return <SignedOut />;
  if (email !== invited) return <OtherPerson invited={invited} email={email} />;
  return <Accept token={token} onDead={onDead} />;
}

function Accept({ token, onDead }: { token: string; onDead: () => void }) {
  const [isBySso, setBySso] = useState(false);
  const action = useAction({
    run: () =>
      call(acceptInvitation, { body: { token } }).catch((cause: unknown) => {
        if (cause instanceof ApiError && cause.status === 404) onDead();
        if (cause instanceof ApiError && cause.reason === 'sso_session') setBySso(true);
        throw cause;
      }),
    failure: 'The invitation could not be accepted',
    done: async ({ account_id }) => {
      keepInvitation(null);
      await announceJoining(account_id);
      return openNewAccount({ id: account_id, replaces: true });
    },
  });
  if (isBySso)
    return (
      <LogOutFirst>
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
      {action.isPending ? 'Joining...' : 'Accept Invitation'}
    </Button>
  );
}

const SignedOut = () => (
  <div className="grid gap-2.5">
    <ButtonLink to="/sign-up" search={RETURN} replace fullWidth>
      Sign Up to Join
    </ButtonLink>
    <ButtonLink to="/sign-in" search={RETURN} replace variant="default" fullWidth>
      Sign In to Join
    </ButtonLink>
  </div>
);

const OtherPerson = ({ invited, email }: { invited: string; email: string }) => (
  <LogOutFirst>
    This invitation is for <strong className="font-600">{invited}</strong>. You are signed in as{' '}
    <strong className="font-600">{email}</strong>.
  </LogOutFirst>
);

/** The session cannot accept the invitation. */
function LogOutFirst({ children }: { children: ReactNode }) {
  const signOut = useSignOut(RETURN);
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

const NoLink = () => (
  <>
    <Intro title="Open your invitation">Use the link in the invitation email.</Intro>
    <ButtonLink to="/" replace fullWidth reloadDocument>
      {isSignedIn() ? 'Open the Dashboard' : 'Sign In'}
    </ButtonLink>
  </>
);

const DeadLink = () => (
  <>
    <Intro title="This invitation no longer works">
      It was accepted or revoked, it has expired, or a newer email replaced it. Ask for a new invitation.
    </Intro>
    <ButtonLink to="/" replace fullWidth reloadDocument>
      {isSignedIn() ? 'Open the Dashboard' : 'Sign In'}
    </ButtonLink>
  </>
);
