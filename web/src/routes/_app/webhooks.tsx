import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../frame/title.ts';
import { pages } from '../../pages.ts';
import { withOpened } from '../../ui/opened.ts';
import { Webhooks } from '../../webhooks/Webhooks.tsx';
import { webhookSearch } from '../../webhooks/webhook-search.ts';

export const Route = createFileRoute('/_app/webhooks')({
  ...withOpened(withOpened(webhookSearch.routing, 'dialog'), 'attempts'),
  loaderDeps: ({ search: { page, search, ordering } }) => ({ page, search, ordering }),
  // Loaded with the screen, because its calls are large and the first screen needs none of them.
  loader: async ({ context, deps }) => {
    const { webhookPage } = await import('../../webhooks/webhooks.ts');
    void context.queryClient.prefetchQuery(webhookPage(deps));
  },
  head: titled(pages.webhooks),
  component: Webhooks,
});
