import { listSearch } from '../table/search.ts';

/** The list's state in the URL. The route reads it before the screen's code is loaded. */
export const webhookSearch = listSearch({
  orderings: ['created_at', 'name', 'url', 'is_active'],
  ordering: '-created_at',
  filters: {},
});
