import type { SearchSchemaInput } from '@tanstack/react-router';
import { anyText, listSearch, oneOf } from '../table/search.ts';

/** The lists' search parameters. Separate from the queries, so that the dashboard's first load contains no operator routes. */
export const accountStates = ['all', 'active', 'suspended', 'deleted'] as const;

export const accountSearch = listSearch({
  orderings: ['created_at', 'email', 'credits'],
  ordering: '-created_at',
  filters: { state: oneOf(accountStates, 'all') },
});

export const auditSearch = listSearch({ orderings: ['created_at'], ordering: '-created_at', filters: {} });

export const announcementSearch = listSearch({
  orderings: ['created_at', 'starts_at'],
  ordering: '-created_at',
  filters: {},
});

export const purchaseStatuses = ['all', 'reversed', 'succeeded', 'pending', 'failed', 'canceled'] as const;
export const purchaseSearch = listSearch({
  orderings: ['created_at', 'price_usd_cents'],
  ordering: '-created_at',
  filters: { status: oneOf(purchaseStatuses, 'all') },
});

export const messageSearch = listSearch({
  orderings: ['created_at'],
  ordering: '-created_at',
  filters: { webhook: anyText, failing: oneOf(['all', 'true', 'false'], 'all') },
});

export const keySearch = listSearch({
  orderings: ['created_at', 'name', 'expires_at'],
  ordering: '-created_at',
  filters: {},
});

/** The country of an operator's first recipients. */
export const readFirstCodeSearch = ({
  country = '',
}: { country?: string } & SearchSchemaInput): { country: string } => ({
  country: /^[A-Z]{2}$/.test(country) ? country : '',
});
