import { Anchor } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import classes from './SandboxBanner.module.css';

/** Appears on every screen while the balance is below its threshold or in debt. */
export function BalanceNotice() {
  const { data: user } = useQuery(currentUser);
  if (!user) return null;
  const isLow = user.low_balance_threshold !== null && user.credits < user.low_balance_threshold;
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
