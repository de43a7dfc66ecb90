import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { ownTarget, sendCurl } from '../api/curl.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { PageLink } from '../ui/links.tsx';
import { newestVerification } from './verifications.ts';

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

interface NothingProps {
  onShowAll: () => void;
  /** the first steps above the list already explain how to start */
  hasSteps: boolean;
}

export function Nothing({ onShowAll, hasSteps }: NothingProps) {
  const { data: user } = useQuery(currentUser);
  const { data: newest } = useQuery(newestVerification());
  if (newest && newest.count > 0) {
    return (
      <EmptyState
        icon={<IconShieldCheck size={24} />}
        title="No verifications yet"
        action={
          <Button variant="default" onClick={onShowAll}>
            Show All Time
          </Button>
        }
      >
        No OTPs have been sent in the last 15 days.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<IconShieldCheck size={24} />}
      title="No verifications yet"
      {...(!hasSteps && {
        snippet: <CodeBlock label="Send a code" code={sendCurl(ownTarget(user))} />,
      })}
    >
      No OTPs have been sent yet. The history appears here once your API keys are used.
    </EmptyState>
  );
}
