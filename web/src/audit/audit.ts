import { queryOptions } from '@tanstack/react-query';
import {
  AUDIT_ACTORS,
  type AuditActor,
  type AuditEntry,
  type AuditGroup,
  exportAuditEntries,
  GROUP_NAMES,
  listAuditEntries,
} from '#contract/audit.ts';
import { call, openStream } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import type { Exporting } from '../table/run-export.ts';
import { listSearch, oneOf } from '../table/search.ts';

/** Queries for the audit log. */
export const periods = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: 'all', label: 'All time' },
] as const;

const GROUP_LABELS: Record<AuditGroup, string> = {
  sign_in: 'Sign-ins and sessions',
  security: 'Security',
  api_key: 'API keys',
  verification: 'Verifications',
  webhook: 'Webhooks',
  settings: 'Settings',
  payment: 'Payments and limits',
  protection: 'Protection',
  account: 'Account',
};
export const groups = [
  { value: 'all' as const, label: 'All Actions' },
  ...GROUP_NAMES.map((value) => ({ value, label: GROUP_LABELS[value] })),
];

export const ACTOR_LABELS: Record<AuditActor, string> = {
  owner: 'You',
  key: 'API key',
  operator: 'Operator',
  system: 'System',
  unknown: 'Unknown',
};
export const actors = [
  { value: 'all' as const, label: 'Anyone' },
  ...AUDIT_ACTORS.map((value) => ({ value, label: ACTOR_LABELS[value] })),
];

export const auditSearch = listSearch({
  orderings: ['created_at'],
  ordering: '-created_at',
  filters: {
    group: oneOf(['all', ...GROUP_NAMES], 'all'),
    actor: oneOf(['all', ...AUDIT_ACTORS], 'all'),
    days: oneOf(['1', '7', '30', '90', 'all'], '30'),
  },
});
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
