import { listSearch, oneOf } from '../table/search.ts';

/** The state of the payment history in its address. The route reads it before the screen's calls are loaded. */
export const transactionSearch = listSearch({
  orderings: ['created_at', 'description', 'amount', 'price_usd_cents', 'payment_status'],
  ordering: '-created_at',
  filters: { type: oneOf(['purchases', 'usage', 'all'], 'purchases') },
});
