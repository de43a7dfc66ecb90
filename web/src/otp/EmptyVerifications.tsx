import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { useMay } from '../accounts/role.ts';
import { ownTarget, sendCurl } from '../api/curl.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { newestVerification } from './verifications.ts';

interface NothingProps {
  onShowAll: () => void;
  /** the first steps above the list already explain how to start */
  hasSteps: boolean;
}

export function Nothing({ onShowAll, hasSteps }: NothingProps) {
  const { data: user } = useQuery(currentUser);
  const may = useMay();
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
      {...(!hasSteps &&
        may('createApiKey') && {
          snippet: <CodeBlock label="Send a code" code={sendCurl(ownTarget(user))} />,
        })}
    >
      No OTPs have been sent yet. The history appears here once your API keys are used.
    </EmptyState>
  );
}
