import {
  exportSuppressions,
  listSuppressions,
  type SuppressionReason,
} from '@sixdigit/contract/suppressions.ts';
import { openStream } from '../api/call.ts';
import { readPage } from '../api/read.ts';
import type { Exporting } from '../table/run-export.ts';
import { listSearch, oneOf } from '../table/search.ts';

export const REASONS: Record<SuppressionReason, string> = {
  hard_bounce: 'Mailbox does not exist',
  soft_bounces: 'Three bounces in a row',
  complaint: 'Reported as spam',
  provider: 'Mail provider’s list',
  manual: 'Added by hand',
};
const NAMES = Object.keys(REASONS) as SuppressionReason[];
export const reasonChoices = [
  { value: 'all' as const, label: 'All Reasons' },
  ...NAMES.map((value) => ({ value, label: REASONS[value] })),
];

/** The list's state in the URL. */
export const suppressionSearch = listSearch({
  orderings: ['created_at'],
  ordering: '-created_at',
  filters: { reason: oneOf(['all', ...NAMES], 'all') },
});
type Search = typeof suppressionSearch.defaults;

const filterOf = ({ search, reason }: Search) => ({ search, ...(reason === 'all' ? {} : { reason }) });

export const suppressionExport = (search: Search): Exporting => ({
  name: 'suppressed-addresses',
  open: (signal) => openStream(exportSuppressions, { query: filterOf(search), signal }),
});

/** Mail providers’ events add entries at any time. */
export const suppressionPage = (search: Search) =>
  readPage(
    listSuppressions,
    { query: { page: search.page, ordering: search.ordering, ...filterOf(search) } },
    { staleTime: 0 },
  );
