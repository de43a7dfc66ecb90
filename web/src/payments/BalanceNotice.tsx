import type { SendPrice } from '@sixdigit/contract/prices.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { IconAlertTriangle, IconGift } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { useMay } from '../accounts/role.ts';
import { call } from '../api/call.ts';
import { Banner } from '../ui/Banner.tsx';
import { PageLink } from '../ui/links.tsx';
import { countOf } from '../ui/numbers.ts';
import { prices } from './price-list.ts';
import { count } from './prices.ts';

/**
 * Appears on every screen while the balance is 0, negative, below its threshold or too low for recently refused sends, or while
 * free credits require a phone number.
 */
export function BalanceNotice() {
  const { data: user } = useQuery(currentUser);
  const { data: list } = useQuery(prices);
  const isShort = user !== undefined && shortFor(list?.sends ?? [], user.credits);
  const { data: isRefused = false } = useQuery({ ...newestRefusal, enabled: isShort });
  const may = useMay();
  if (!user) return null;
  const { credits, debt, low_balance_threshold, welcome_credits_due } = user;
  if (welcome_credits_due > 0 && debt === 0) return <WelcomeNotice credits={welcome_credits_due} />;
  const isLow = low_balance_threshold !== null && credits < low_balance_threshold;
  const mayBuy = may('createIntent');
  const text = noticeOf({ credits, debt, isLow, isRefused: isShort && isRefused, mayBuy });
  if (text === undefined) return null;
  return (
    <Banner
      label="Balance"
      icon={<IconAlertTriangle size={16} aria-hidden />}
      {...(mayBuy && { link: <PageLink to="/credits">Buy Credits</PageLink> })}
    >
      {text}
    </Banner>
  );
}

interface State {
  credits: number;
  debt: number;
  isLow: boolean;
  isRefused: boolean;
  mayBuy: boolean;
}

function noticeOf({ credits, debt, isLow, isRefused, mayBuy }: State): string | undefined {
  if (debt > 0)
    return `Your account owes ${count(debt)}. Sending is paused until ${debt === 1 ? 'it is' : 'they are'} paid.`;
  if (credits === 0)
    return `Your balance is 0 credits. Every live send is refused until ${mayBuy ? 'you buy' : 'an owner or admin buys'} credits.`;
  if (isRefused)
    return `Sends were refused in the last 24 hours, because they cost more than your balance. ${count(credits)} left.`;
  return isLow ? `Your balance is low: ${count(credits)} left.` : undefined;
}

/** Explains how to get the free credits. */
const WelcomeNotice = ({ credits }: { credits: number }) => (
  <Banner
    label="Welcome credits"
    icon={<IconGift size={16} aria-hidden />}
    link={<PageLink to="/settings">Open Settings</PageLink>}
  >
    {`Get ${countOf(credits, 'free credit')}: turn on two-factor authentication by SMS with a phone number that has not been used for this before.`}
  </Banner>
);

/** More segments than the longest SMS of any deployment has. */
const SEGMENTS_MOST = 10;
const REFETCH_MS = 30_000;

/** Whether any send can cost more than a balance above 0. */
const shortFor = (sends: readonly SendPrice[], credits: number): boolean =>
  credits > 0 &&
  sends.some((price) => price.credits * (price.unit === 'segment' ? SEGMENTS_MOST : 1) > credits);

/** Whether a send of the last 24 hours was refused for lack of credits. */
const newestRefusal = queryOptions({
  queryKey: ['payments', 'newest-refusal'],
  queryFn: async ({ signal }): Promise<boolean> => {
    const { results } = await call(listRequestLogs, {
      query: { status_code: '402', created_after: '1', search: 'insufficient_credits', page_size: 1 },
      signal,
    });
    return results.some(({ reason }) => reason === 'insufficient_credits');
  },
  refetchInterval: REFETCH_MS,
});
