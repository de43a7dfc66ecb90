import type { OperatorAccountDetail } from '@sixdigit/contract/operator/accounts.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { nowMs } from '../../api/clock.ts';
import { InsightsView } from '../../insights/InsightsView.tsx';
import { ListBehind } from '../../insights/list-address.ts';
import { accountOf } from '../operator.ts';
import { insightsOfAccount } from './data.ts';

const COUNTED_MS = 30 * 24 * 60 * 60 * 1_000;

/** The account is younger than the days whose sends are counted. */
const hasNeverSent = ({ created_at, sends_30_days }: OperatorAccountDetail): boolean =>
  sends_30_days === 0 && nowMs() - Date.parse(created_at) < COUNTED_MS;

const route = getRouteApi('/_app/operator/accounts/$id/insights');

/** The account's insights, as its owner sees them. */
export function AccountInsights() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(insightsOfAccount(id, search));
  const { data: account } = useQuery(accountOf(id));
  return (
    <ListBehind value={{ to: '/operator/accounts/$id/verifications', params: { id } }}>
      <InsightsView
        search={search}
        change={(to) => void navigate({ search: { ...search, ...to }, replace: true, resetScroll: false })}
        query={query}
        keys={account ? [...account.api_keys, ...account.connections] : []}
        neverSent={account !== undefined && hasNeverSent(account)}
      />
    </ListBehind>
  );
}
