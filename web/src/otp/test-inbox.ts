import { listTestMessages, type TestMessage } from '@sixdigit/contract/test-mode.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';

const REFETCH_MS = 3_000;

/** One page of the test inbox, the newest first. */
export const testMessagePage = ({ page, search }: { page: number; search: string }) =>
  queryOptions({
    queryKey: ['test-inbox', { page, search }],
    queryFn: async ({ signal }): Promise<Page<TestMessage>> =>
      asPage(await call(listTestMessages, { query: { page, page_size: PAGE_SIZE, search }, signal }), page),
    refetchInterval: REFETCH_MS,
    ...keepPrevious,
  });
