import { createFileRoute } from '@tanstack/react-router';
import { deployment } from '../../api/deployment.ts';
import { pages } from '../../pages.ts';
import { Credits } from '../../payments/Credits.tsx';
import { packages, prices, savedCards, transactionPage, transactionSearch } from '../../payments/payments.ts';
import { titled } from '../../shell/title.ts';
import { withOpened } from '../../table/opened.ts';

export const Route = createFileRoute('/_app/credits')({
  ...withOpened(transactionSearch.routing, 'step'),
  loaderDeps: ({ search: { page, search, ordering } }) => ({ page, search, ordering }),
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(transactionPage(deps));
    void queryClient.prefetchQuery(prices);
    if (deployment().cards === 'none') return;
    void queryClient.prefetchQuery(packages);
    void queryClient.prefetchQuery(savedCards);
  },
  head: titled(pages.credits),
  component: Credits,
});
