import { IconAlertTriangle, IconGift } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { count } from '../payments/prices.ts';
import { Banner } from '../ui/Banner.tsx';
import { PageLink } from '../ui/links.tsx';

/** Appears on every screen while the balance is below its threshold or in debt, or free credits wait for a phone number. */
export function BalanceNotice() {
  const { data: user } = useQuery(currentUser);
  if (!user) return null;
  const { credits, debt, low_balance_threshold, welcome_credits_due } = user;
  if (welcome_credits_due > 0 && debt === 0) return <WelcomeNotice credits={welcome_credits_due} />;
  const isLow = low_balance_threshold !== null && credits < low_balance_threshold;
  if (debt === 0 && !isLow) return null;
  return (
    <Banner
      label="Balance"
      icon={<IconAlertTriangle size={16} aria-hidden />}
      link={<PageLink to="/credits">Buy Credits</PageLink>}
    >
      {debt > 0
        ? `Your account owes ${count(debt)}. Sending is paused until they are paid.`
        : `Your balance is low: ${count(credits)} left.`}
    </Banner>
  );
}

/** Explains to a new customer how to get the free credits. */
const WelcomeNotice = ({ credits }: { credits: number }) => (
  <Banner
    label="Welcome credits"
    icon={<IconGift size={16} aria-hidden />}
    link={<PageLink to="/settings">Open Settings</PageLink>}
  >
    {`Get ${credits.toLocaleString('en-US')} free ${credits === 1 ? 'credit' : 'credits'}: turn on two-factor authentication by SMS with a phone number that has not been used for this before.`}
  </Banner>
);
