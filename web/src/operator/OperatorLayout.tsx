import { IconShieldLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { NotFound } from '../ui/NotFound.tsx';
import classes from './Operator.module.css';
import { needsSecondFactor, operatorSelf } from './operator.ts';

/** In production, operators need a second factor to open the console. */
const TwoFactorRequired = () => (
  <EmptyState
    icon={<IconShieldLock size={24} />}
    title="Turn on two-factor authentication"
    action={
      <ButtonLink to="/settings" hash="security">
        Open Security Settings
      </ButtonLink>
    }
  >
    The operator console needs a second factor: a passkey, an authenticator app, or codes by email or SMS.
  </EmptyState>
);

/** The console's screens. Other users get "not found". */
export function OperatorLayout() {
  const { data: user } = useQuery(currentUser);
  const { error } = useQuery({ ...operatorSelf, enabled: Boolean(user?.operator_role) });
  const isRefused = needsSecondFactor(error);
  if (!user) return null;
  if (!user.operator_role) return <NotFound />;
  if (isRefused) return <TwoFactorRequired />;
  return (
    <div className={classes.screen}>
      <Outlet />
    </div>
  );
}
