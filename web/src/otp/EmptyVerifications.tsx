import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { useMay } from '../accounts/role.ts';
import { ownTarget, sendCurl } from '../api/curl.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import { newestVerification } from './verifications.ts';

/** The action of test mode's empty states. */
export function CreateTestKey() {
  const may = useMay();
  return may('createApiKey') ? (
    <ButtonLink to="/api-keys" search={{ dialog: 'create' }} variant="default">
      Create a Test Key
    </ButtonLink>
  ) : null;
}

interface NothingProps {
  isTest: boolean;
  onShowAll: () => void;
  /** the first steps above the list already explain how to start */
  hasSteps: boolean;
}

export function Nothing({ isTest, onShowAll, hasSteps }: NothingProps) {
  const { data: user } = useQuery(currentUser);
  const may = useMay();
  const { data: newest } = useQuery(newestVerification());
  const mayBeOlder = isTest || Boolean(newest?.count);
  return (
    <EmptyState
      icon={<IconShieldCheck size={24} />}
      title="No verifications yet"
      action={
        mayBeOlder ? (
          <>
            {isTest ? <CreateTestKey /> : null}
            <Button variant="default" onClick={onShowAll}>
              Show All Time
            </Button>
          </>
        ) : null
      }
      snippet={
        mayBeOlder || hasSteps || !may('createApiKey') ? null : (
          <CodeBlock label="Send a code" code={sendCurl(ownTarget(user))} language="bash" />
        )
      }
    >
      {isTest
        ? 'No test codes have been sent in the last 15 days. Send with a test key, which begins with sd_test_.'
        : mayBeOlder
          ? 'No OTPs have been sent in the last 15 days.'
          : 'No OTPs have been sent yet. The history appears here once your API keys are used.'}
    </EmptyState>
  );
}

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
