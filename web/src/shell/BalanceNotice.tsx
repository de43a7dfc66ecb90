import { Anchor } from '@mantine/core';
import { IconAlertTriangle, IconGift } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import classes from './SandboxBanner.module.css';

/** Appears on every screen while the balance is below its threshold or in debt, or free credits wait for a phone number. */
export function BalanceNotice() {
  const { data: user } = useQuery(currentUser);
  if (!user) return null;
  const isLow = user.low_balance_threshold !== null && user.credits < user.low_balance_threshold;
  if (user.welcome_credits_due > 0 && user.debt === 0)
    return <WelcomeNotice credits={user.welcome_credits_due} />;
  if (user.debt === 0 && !isLow) return null;
  const count = (credits: number): string =>
    `${credits.toLocaleString('en-US')} ${credits === 1 ? 'credit' : 'credits'}`;
  return (
    <aside className={classes.banner} aria-label="Balance">
      <IconAlertTriangle size={16} aria-hidden />
      <span>
        {user.debt > 0
          ? `Your account owes ${count(user.debt)}; sending rests until they are paid.`
          : `Your balance is low: ${count(user.credits)} left.`}{' '}
        <Anchor component={Link} to={'/credits' as never} inherit underline="always" className={classes.link}>
          Buy Credits
        </Anchor>
      </span>
    </aside>
  );
}

/** Tells a new customer how to get the free credits. */
function WelcomeNotice({ credits }: { credits: number }) {
  return (
    <aside className={classes.banner} aria-label="Welcome credits">
      <IconGift size={16} aria-hidden />
      <span>
        {`Get ${credits.toLocaleString('en-US')} free ${credits === 1 ? 'credit' : 'credits'}: turn on two-factor authentication by SMS with a phone number that has not been used for this before.`}{' '}
        <Anchor
          component={Link}
          to={'/settings' as never}
          inherit
          underline="always"
          className={classes.link}
        >
          Open Settings
        </Anchor>
      </span>
    </aside>
  );
}
