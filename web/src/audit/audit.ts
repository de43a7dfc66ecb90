import { exportAuditEntries, listAuditEntries } from '@sixdigit/contract/audit.ts';
import { openStream } from '../api/call.ts';
import { readPage } from '../api/read.ts';
import type { Exporting } from '../table/run-export.ts';
import type { auditSearch } from './audit-search.ts';

type Search = typeof auditSearch.defaults;

/** The filters of the list and of its export. */
export const auditFilter = ({ search, group, actor, days, person_id }: Search) => ({
  search,
  ...(group === 'all' ? {} : { group }),
  ...(actor === 'all' ? {} : { actor }),
  ...(days === 'all' ? {} : { created_after: days }),
  ...(person_id === '' ? {} : { person_id }),
});

export const auditExport = (search: Search): Exporting => ({
  name: 'audit-log',
  open: (signal) => openStream(exportAuditEntries, { query: auditFilter(search), signal }),
});

/** Changes on other screens add entries. */
export const auditPage = (search: Search) =>
  readPage(
    listAuditEntries,
    { query: { page: search.page, ordering: search.ordering, ...auditFilter(search) } },
    { staleTime: 0 },
  );
