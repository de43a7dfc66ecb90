import { createFileRoute } from '@tanstack/react-router';
import { pages } from '../../pages.ts';
import { titled } from '../../shell/title.ts';
import { withOpened } from '../../table/opened.ts';
import { Webhooks } from '../../webhooks/Webhooks.tsx';
import { webhookPage, webhookSearch } from '../../webhooks/webhooks.ts';

export const Route = createFileRoute('/_app/webhooks')({
  ...withOpened(withOpened(webhookSearch.routing, 'dialog'), 'attempts'),
  loaderDeps: ({ search: { page, search, ordering } }) => ({ page, search, ordering }),
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(webhookPage(deps));
  },
  head: titled(pages.webhooks),
  component: Webhooks,
});
