import {
  type AuditActor,
  type AuditGroup,
  exportAuditEntries,
  listAuditEntries,
} from '@sixdigit/contract/audit.ts';
import { openStream } from '../api/call.ts';
import { readPage } from '../api/read.ts';
import type { Exporting } from '../table/run-export.ts';
import { anyText, listSearch, oneOf } from '../table/search.ts';

/** The audit log's filters in the URL. */
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
  limit: 'Limits',
  connection: 'Connections',
  verification: 'Verifications',
  webhook: 'Webhooks',
  settings: 'Settings',
  payment: 'Payments and limits',
  protection: 'Protection',
  member: 'Members',
  account: 'Account',
};
const GROUP_NAMES = Object.keys(GROUP_LABELS) as AuditGroup[];
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
/** In an account with several members. */
export const TEAM_LABELS: Record<AuditActor, string> = { ...ACTOR_LABELS, owner: 'Member' };
const AUDIT_ACTORS = Object.keys(ACTOR_LABELS) as AuditActor[];
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
    person_id: anyText,
  },
});
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
