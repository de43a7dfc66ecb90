import { createFileRoute } from '@tanstack/react-router';
import { ApiKeys } from '../../api-keys/ApiKeys.tsx';
import { apiKeyPage, apiKeySearch } from '../../api-keys/api-keys.ts';
import { pages } from '../../pages.ts';
import { titled } from '../../shell/title.ts';
import { withOpened } from '../../table/opened.ts';

export const Route = createFileRoute('/_app/api-keys')({
  ...withOpened(apiKeySearch.routing, 'dialog'),
  loaderDeps: ({ search: { page, search, ordering } }) => ({ page, search, ordering }),
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(apiKeyPage(deps));
  },
  head: titled(pages.apiKeys),
  component: ApiKeys,
});
