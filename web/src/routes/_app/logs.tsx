import { createFileRoute } from '@tanstack/react-router';
import { apiKeyChoices } from '../../api-keys/api-keys.ts';
import { titled } from '../../frame/title.ts';
import { pages } from '../../pages.ts';
import { RequestLogs } from '../../request-logs/RequestLogs.tsx';
import { requestLogPage, requestLogSearch } from '../../request-logs/request-logs.ts';
import { withOpened } from '../../ui/opened.ts';

export const Route = createFileRoute('/_app/logs')({
  ...withOpened(requestLogSearch.routing, 'request'),
  loaderDeps: ({ search: { request: _, ...list } }) => list,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(requestLogPage(deps));
    void queryClient.prefetchQuery(apiKeyChoices);
  },
  head: titled(pages.logs),
  component: RequestLogs,
});
