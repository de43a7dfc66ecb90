import { type AuditEntry, exportAuditEntries, listAuditEntries } from '@sixdigit/contract/audit.ts';
import { queryOptions } from '@tanstack/react-query';
import { call, openStream } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import type { Exporting } from '../table/run-export.ts';
import type { auditSearch } from './audit-search.ts';

/** Queries for the audit log. */
type Search = typeof auditSearch.defaults;

/** The filters of the list and of its export. */
const auditFilter = ({ search, group, actor, days }: Search) => ({
  search,
  ...(group === 'all' ? {} : { group }),
  ...(actor === 'all' ? {} : { actor }),
  ...(days === 'all' ? {} : { created_after: days }),
});

export const auditExport = (search: Search): Exporting => ({
  name: 'audit-log',
  open: (signal) => openStream(exportAuditEntries, { query: auditFilter(search), signal }),
});

export const auditPage = (search: Search) => {
  const { page, ordering } = search;
  const filter = auditFilter(search);
  return queryOptions({
    queryKey: ['audit', { page, ordering, ...filter }],
    queryFn: async ({ signal }): Promise<Page<AuditEntry>> =>
      asPage(
        await call(listAuditEntries, {
          query: { page, page_size: PAGE_SIZE, ordering, ...filter },
          signal,
        }),
        page,
      ),
    // Changes on other screens add entries.
    staleTime: 0,
    ...keepPrevious,
  });
};
