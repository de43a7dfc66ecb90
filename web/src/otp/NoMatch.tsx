import { PageLink } from '../ui/links.tsx';

/** A refused request creates no verification, so a search for its recipient finds nothing. */
export const NoMatch = ({ search, isTest }: { search: string; isTest: boolean }) => (
  <>
    {isTest
      ? 'No test verifications match the current filters. Send with a test key, which begins with sd_test_.'
      : 'No verifications match the current filters. Try adjusting the search or the filters.'}
    {search === '' ? null : (
      <>
        {' '}
        Refused requests create no verification:{' '}
        <PageLink to="/logs" search={{ search, days: 'all', ...(isTest && { mode: 'test' as const }) }}>
          Search in Logs
        </PageLink>
      </>
    )}
  </>
);
