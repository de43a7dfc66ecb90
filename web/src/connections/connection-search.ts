import { listSearch } from '../table/search.ts';

/** The list's state in the URL. The route reads it before the screen's code is loaded. */
export const connectionSearch = listSearch({
  orderings: ['created_at', 'name', 'last_used_at'],
  ordering: '-created_at',
  filters: {},
});
