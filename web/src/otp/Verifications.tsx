import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { ApiKeyFilter } from '../api-keys/ApiKeyFilter.tsx';
import { ownTarget, sendCurl } from '../docs/curl.ts';
import { DataTable } from '../table/DataTable.tsx';
import { FilterSelect } from '../table/FilterSelect.tsx';
import { type List, useList } from '../table/list.ts';
import { useOpened } from '../table/opened.ts';
import { SearchBox } from '../table/SearchBox.tsx';
import { Toolbar } from '../table/Toolbar.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { verificationColumns } from './columns.tsx';
import { useFirstSteps } from './first-steps.ts';
import {
  newestVerification,
  periods,
  statusChoices,
  verificationPage,
  verificationSearch,
} from './verifications.ts';

/** Loaded on demand, because most visits do not need it. */
const FirstSteps = lazy(async () => ({ default: (await import('./FirstSteps.tsx')).FirstSteps }));
const VerificationDialog = lazy(async () => ({
  default: (await import('./VerificationDialog.tsx')).VerificationDialog,
}));

/** The list of verifications. */
export function Verifications() {
  const list = useList(verificationSearch);
  const query = useQuery(verificationPage(list.search));
  const { opened, open, close } = useOpened('otp');
  const columns = useMemo(() => verificationColumns(open), [open]);
  const firstSteps = useFirstSteps();

  return (
    <>
      <PageHeading title="Verifications">Every code that your API keys have sent, as it happens.</PageHeading>
      {firstSteps.isShown && (
        <Suspense>
          <FirstSteps progress={firstSteps} />
        </Suspense>
      )}
      <Toolbar search={<SearchBox list={list} placeholder="Search recipient or API key..." />}>
        <FilterSelect list={list} name="days" label="Time period" options={periods} />
        <FilterSelect list={list} name="status" label="Status" options={statusChoices} />
        <ApiKeyFilter list={list} />
      </Toolbar>
      <DataTable
        label="Verifications"
        noun="OTP(s)"
        list={list}
        query={query}
        columns={columns as never}
        rowId={(verification) => verification.id}
        onOpen={(verification) => open(verification.id)}
        error={{ title: 'Error loading data', message: 'Failed to load OTP verifications' }}
        empty={<Nothing list={list} hasSteps={firstSteps.isShown} />}
      />
      <Suspense>{opened !== undefined && <VerificationDialog id={opened} onClose={close} />}</Suspense>
    </>
  );
}

interface NothingProps {
  list: List<typeof verificationSearch.defaults>;
  /** the first steps above already explain how to begin */
  hasSteps: boolean;
}

function Nothing({ list, hasSteps }: NothingProps) {
  const { data: user } = useQuery(currentUser);
  const { data: newest } = useQuery(newestVerification());
  const icon = <IconShieldCheck size={24} />;
  if (list.isFiltered) {
    return (
      <EmptyState
        icon={icon}
        title="No verifications yet"
        action={
          <Button variant="default" onClick={list.reset}>
            Clear filters
          </Button>
        }
      >
        No verifications match the current filters. Try adjusting the search or the filters.
      </EmptyState>
    );
  }
  if (newest && newest.count > 0) {
    return (
      <EmptyState
        icon={icon}
        title="No verifications yet"
        action={
          <Button variant="default" onClick={() => list.change({ days: 'all' })}>
            Show all time
          </Button>
        }
      >
        No OTPs have been sent in the last 15 days.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
      title="No verifications yet"
      {...(!hasSteps && {
        snippet: <CodeBlock label="Send a code" code={sendCurl(ownTarget(user))} />,
      })}
    >
      No OTPs have been sent yet. The history appears here once your API keys are used.
    </EmptyState>
  );
}
