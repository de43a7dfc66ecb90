import { createFileRoute } from '@tanstack/react-router';
import { deployment } from '../../api/deployment.ts';
import { titled } from '../../frame/title.ts';
import { pages } from '../../pages.ts';
import { Credits } from '../../payments/Credits.tsx';
import { transactionSearch } from '../../payments/transaction-search.ts';
import { withOpened } from '../../ui/opened.ts';

export const Route = createFileRoute('/_app/credits')({
  ...withOpened(transactionSearch.routing, 'step'),
  loaderDeps: ({ search: { page, search, ordering } }) => ({ page, search, ordering }),
  // Loaded with the screen, because the first screen needs none of its calls.
  loader: async ({ context: { queryClient }, deps }) => {
    const [{ packages, savedCards, transactionPage }, { prices }] = await Promise.all([
      import('../../payments/payments.ts'),
      import('../../payments/price-list.ts'),
    ]);
    void queryClient.prefetchQuery(transactionPage(deps));
    void queryClient.prefetchQuery(prices);
    if (deployment().cards === 'none') return;
    void queryClient.prefetchQuery(packages);
    void queryClient.prefetchQuery(savedCards);
  },
  head: titled(pages.credits),
  component: Credits,
});
