import { createFileRoute } from '@tanstack/react-router';
import { ApiKeys } from '../../api-keys/ApiKeys.tsx';
import { apiKeyPage, apiKeySearch } from '../../api-keys/api-keys.ts';
import { titled } from '../../frame/title.ts';
import { pages } from '../../pages.ts';
import { withOpened } from '../../ui/opened.ts';

export const Route = createFileRoute('/_app/api-keys')({
  ...withOpened(apiKeySearch.routing, 'dialog'),
  loaderDeps: ({ search: { page, search, ordering } }) => ({ page, search, ordering }),
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(apiKeyPage(deps));
  },
  head: titled(pages.apiKeys),
  component: ApiKeys,
});
