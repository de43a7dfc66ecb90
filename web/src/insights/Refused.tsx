import type { Insights } from '@sixdigit/contract/insights.ts';
import { useContext } from 'react';
import { rangeBetween } from '../table/range.ts';
import { zoneName } from '../ui/dates.ts';
import { PageLink } from '../ui/links.tsx';
import { refusedText } from './figures.ts';

import type { InsightsSearch } from './insights.ts';
import { ListBehind } from './list-address.ts';

/** The periods that the log has too. */
const DAYS: Partial<Record<InsightsSearch['range'], string>> = {
  '24h': '1',
  '7d': '7',
  '15d': '15',
  '30d': '30',
  '90d': '90',
};

interface Props {
  data: Pick<Insights, 'refused' | 'from' | 'to'>;
  search: Pick<InsightsSearch, 'range' | 'channel' | 'country' | 'api_key'>;
  className: string;
  /** on phones and tablets, shows only the count, to fit next to the period */
  isShort?: boolean;
}

/**
 * The number of refused sends, with a link to the log. The figures exclude them, because a refused send creates no
 * verification.
 */
export function Refused({ data: { refused, from, to }, search, className, isShort = false }: Props) {
  const { params } = useContext(ListBehind);
  const text = refusedText(refused);
  if (text === undefined) return null;
  const { range, channel, country, api_key } = search;
  const days = DAYS[range];
  return (
    <p className={className}>
      <span className={isShort ? 'max-lg:hidden' : undefined}>{text}</span>
      {isShort ? (
        <span className="hidden max-lg:inline">{refused.sends.toLocaleString('en-US')} refused.</span>
      ) : null}{' '}
      {params === undefined ? (
        <PageLink
          className="whitespace-nowrap"
          to="/logs"
          search={
            {
              ...(days ? { days } : rangeBetween(new Date(from), new Date(to), zoneName())),
              status_code: 'refused_send',
              ...(channel !== '' && { channel }),
              ...(country !== '' && { country }),
              ...(api_key !== '' && { api_key }),
            } as never
          }
        >
          View in Logs
        </PageLink>
      ) : null}
    </p>
  );
}
