import { listSearch } from '../table/search.ts';

/** The state of the list in its address. The route reads it before the screen's calls are loaded. */
export const webhookSearch = listSearch({
  orderings: ['created_at', 'name', 'url', 'is_active'],
  ordering: '-created_at',
  filters: {},
});
