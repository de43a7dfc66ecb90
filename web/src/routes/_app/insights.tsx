import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { titled } from '../../frame/title.ts';
import { Insights } from '../../insights/Insights.tsx';
import { insightsDefaults, insightsOf, readInsightsSearch } from '../../insights/insights.ts';
import { pages } from '../../pages.ts';

export const Route = createFileRoute('/_app/insights')({
  validateSearch: readInsightsSearch,
  search: { middlewares: [stripSearchParams(insightsDefaults)] },
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(insightsOf(deps));
  },
  head: titled(pages.insights),
  component: Insights,
});
