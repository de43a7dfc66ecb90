import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useKeyChoices } from '../api-keys/api-keys.ts';
import { pages } from '../pages.ts';
import { ButtonLink } from '../ui/links.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Fallback } from './Fallback.tsx';
import { InsightsView } from './InsightsView.tsx';
import { insightsOf } from './insights.ts';

const route = getRouteApi('/_app/insights');

/** Counts, conversion and time to verify over a period, compared with the period before. */
export function Insights() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(insightsOf(search));
  const keys = useKeyChoices();
  return (
    <>
      <PageHeading title={pages.insights.title}>
        How your verifications perform, compared with the period before.
      </PageHeading>
      <InsightsView
        search={search}
        change={(to) => void navigate({ search: { ...search, ...to }, replace: true, resetScroll: false })}
        query={query}
        keys={keys ?? []}
        fallback={<Fallback search={search} />}
        action={
          <ButtonLink to="/" search={{ dialog: 'test-send' }}>
            Send a Test Code
          </ButtonLink>
        }
      />
    </>
  );
}
