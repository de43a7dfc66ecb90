import { Button, Skeleton } from '@mantine/core';
import { IconSend, IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { useMay } from '../accounts/role.ts';
import { ApiKeyFilter } from '../api-keys/ApiKeyFilter.tsx';
import { pages } from '../pages.ts';
import { FilterSelect } from '../table/FilterSelect.tsx';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { ModeSwitch } from '../table/ModeSwitch.tsx';
import { PeriodFilter } from '../table/PeriodFilter.tsx';
import { Later } from '../ui/Later.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { useOpened } from '../ui/opened.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { compactVerification, verificationColumns } from './columns.tsx';
import { useFirstSteps } from './first-steps.ts';
import { hasRoute } from './route-filters.ts';
import {
  newestVerification,
  periods,
  statusChoices,
  verificationCount,
  verificationExport,
  verificationPage,
  verificationSearch,
} from './verifications.ts';

/** Loaded on demand, because most visits do not need it. */
const FirstSteps = lazyPart(async () => (await import('./FirstSteps.tsx')).FirstSteps);
const TestViews = lazyPart(async () => (await import('./TestViews.tsx')).TestViews);
const TestInbox = lazy(async () => ({ default: (await import('./TestInbox.tsx')).TestInbox }));
const Overview = lazyPart(async () => (await import('./Overview.tsx')).Overview);
const VerificationDialog = lazyDialog(
  async () => (await import('./VerificationDialog.tsx')).VerificationDialog,
);

const Nothing = lazyPart(async () => (await import('./EmptyVerifications.tsx')).Nothing);
const TestSend = lazyDialog(async () => (await import('./TestSend.tsx')).TestSend);
const NewApiKey = lazyDialog(async () => (await import('../api-keys/ApiKeySecret.tsx')).NewApiKey);
const MoreFilters = lazy(async () => ({ default: (await import('./MoreFilters.tsx')).MoreFilters }));
const RecipientPart = lazyPart(async () => (await import('./RecipientPart.tsx')).RecipientPart);
const NoMatch = lazyPart(async () => (await import('./EmptyVerifications.tsx')).NoMatch);

const icon = <IconShieldCheck size={24} />;

/** The list of verifications. */
export function Verifications() {
  const list = useList(verificationSearch);
  const query = useQuery(verificationPage(list.search));
  const { opened, open, close } = useOpened('otp');
  const dialog = useOpened('dialog');
  const columns = useMemo(() => verificationColumns(open), [open]);
  const may = useMay();
  const firstSteps = useFirstSteps();
  const isTest = list.search.mode === 'test';
  const { data: newest } = useQuery(newestVerification());
  // Until it is known whether the account needs the first steps, the screen is a skeleton of the usual one.
  const { isWaiting } = firstSteps;
  const mayHaveList = !isWaiting || !firstSteps.isBeginner;
  const shown = isWaiting ? ({ ...query, data: undefined, isPending: true } as typeof query) : query;
  // Reserves its space immediately and loads after the rows.
  const hasOverview = !isTest && !firstSteps.isShown && mayHaveList && newest?.count !== 0;

  return (
    <>
      <PageHeading
        title={pages.verifications.title}
        actions={
          <>
            <ModeSwitch mode={list.search.mode} onChange={(mode) => list.change({ mode, view: 'list' })} />
            {may('sendTestCode') ? (
              <Button
                variant="default"
                px="sm"
                aria-label="Send a Test Code"
                onClick={() => dialog.open('test-send')}
              >
                <IconSend
                  size={16}
                  className="max-sm:hidden"
                  style={{ marginInlineEnd: '0.5rem' }}
                  aria-hidden
                />
                <span>
                  Send<span className="max-sm:hidden"> a Test Code</span>
                </span>
              </Button>
            ) : null}
          </>
        }
      >
        <span className="max-sm:hidden">
          {isTest
            ? 'Sent with your test keys: not delivered, not charged.'
            : 'Every code sent with your API keys, updated live.'}
        </span>
      </PageHeading>
      {(firstSteps.isShown || (firstSteps.isWaiting && firstSteps.isBeginner)) && (
        <Suspense fallback={<div className="min-h-82" data-loading />}>
          <FirstSteps progress={firstSteps} />
        </Suspense>
      )}
      {hasOverview ? (
        <div className="flow-root min-h-37.5 max-lg:min-h-34.5 max-md:min-h-[5.1875rem]">
          {shown.isPending ? (
            <FiguresSkeleton />
          ) : (
            <Later instead={<FiguresSkeleton />}>
              <Suspense fallback={<FiguresSkeleton />}>
                <Overview filters={list.search} />
              </Suspense>
            </Later>
          )}
        </div>
      ) : null}
      {isTest ? (
        <Suspense fallback={<div className="mb-3.5 min-h-10 touch:min-h-11" data-loading />}>
          <TestViews view={list.search.view} onChange={(view) => list.change({ view })} />
        </Suspense>
      ) : null}
      {isTest && list.search.view === 'inbox' ? (
        <Suspense>
          <TestInbox list={list} />
        </Suspense>
      ) : mayHaveList ? (
        // The key replaces the skeleton, so that nothing moves when the first steps appear above it.
        <ListScreen
          key={String(isWaiting)}
          inert={isWaiting}
          label="Verifications"
          noun="OTP(s)"
          placeholder={may('getRecipient') ? 'Search recipient or API key...' : 'Search API key...'}
          filters={
            <>
              <PeriodFilter list={list} options={periods} />
              <FilterSelect list={list} name="status" label="Status" options={statusChoices} />
              <ApiKeyFilter list={list} />
            </>
          }
          moreFilters={{ render: () => <MoreFilters list={list} />, isSet: hasRoute(list.search) }}
          above={
            list.search.search && may('getRecipient') ? (
              <Suspense>
                <RecipientPart search={list.search.search} />
              </Suspense>
            ) : null
          }
          list={list}
          query={shown}
          counting={verificationCount(list.search)}
          columns={columns}
          exporting={verificationExport(list.search)}
          isLive
          compact={compactVerification}
          rowId={(verification) => verification.id}
          onOpen={(verification) => open(verification.id)}
          failureTitle="Error loading data"
          failure="Failed to load OTP verifications"
          empty={{
            icon,
            title: 'No verifications yet',
            nothing: (
              <Suspense>
                <Nothing
                  isTest={isTest}
                  onShowAll={() => list.change({ days: 'all' })}
                  hasSteps={firstSteps.isShown}
                />
              </Suspense>
            ),
            noMatch: (
              <Suspense>
                <NoMatch search={list.search.search} isTest={isTest} />
              </Suspense>
            ),
          }}
        />
      ) : null}
      <TestSend opened={dialog.opened === 'test-send'} onClose={dialog.close} />
      <NewApiKey opened={dialog.opened === 'create-key'} onClose={dialog.close} />
      <VerificationDialog
        opened={opened !== undefined}
        id={opened}
        list={{ search: list.search, page: query.data }}
        onClose={close}
        onSent={open}
      />
    </>
  );
}

const FIGURES = [62, 48, 54, 70, 58];

/** As high as the figures above the list, which load after its rows. */
const FiguresSkeleton = () => (
  <div aria-hidden>
    <div className="mb-1.5 flex h-6 items-center max-md:mb-1 max-md:h-5">
      <Skeleton height={10} width="9rem" radius="xl" />
    </div>
    <div className="mb-5 grid h-25 grid-cols-5 gap-px overflow-hidden rounded-12 border border-line bg-line max-lg:h-22 max-md:mb-[0.9375rem] max-md:h-11 max-md:grid-cols-4">
      {FIGURES.map((share, n) => (
        <div
          key={share}
          className={`grid content-center gap-3.5 bg-surface px-4 max-lg:px-3.5 ${n > 3 ? 'max-md:hidden' : ''}`}
        >
          <Skeleton height={10} width={`${share}%`} radius="xl" />
          <Skeleton className="max-md:hidden" height={18} width="3rem" radius="xl" />
        </div>
      ))}
    </div>
  </div>
);
