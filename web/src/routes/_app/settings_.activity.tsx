import { createFileRoute } from '@tanstack/react-router';
import { Activity } from '../../audit/Activity.tsx';
import { auditSearch } from '../../audit/audit-search.ts';
import { titled } from '../../frame/title.ts';
import { otherPages } from '../../pages.ts';

export const Route = createFileRoute('/_app/settings_/activity')({
  ...auditSearch.routing,
  loaderDeps: ({ search }) => search,
  // Loaded with the screen, because the first screen does not need the names of all actions.
  loader: async ({ context: { queryClient }, deps }) => {
    const { auditPage } = await import('../../audit/audit.ts');
    void queryClient.prefetchQuery(auditPage(deps));
  },
  head: titled(otherPages.activity),
  component: Activity,
});
